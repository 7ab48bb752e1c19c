/** The processes of an adaptor, by the names in their state reports. */
export interface InstanceBook {
  readonly current: string | undefined;
  /** Processes that another process has replaced, the latest last. */
  readonly superseded: readonly string[];
}

export const emptyInstanceBook: InstanceBook = { current: undefined, superseded: [] };

/** Represents the processes without a name. It is a uuid because notices carry it. */
export const unnamedInstance = '00000000-0000-0000-0000-000000000000';

/** Maximum number of processes that are remembered for an adaptor. */
const remembered = 16;

/**
 * Notes that a process reports its start. The process that connected last is the current one. A process that returns
 * after another one took over is superseded: both have the same credentials, and each would close the other's
 * connection again and again.
 *
 * A process without a name cannot be asked to end, so it always becomes the current one. A named process that returns
 * must end.
 *
 * @param instance undefined: the process does not name itself
 * @returns the book, and the process that took over from this one; undefined: this process is current
 */
export const heardInstance = (
  book: InstanceBook,
  instance: string | undefined,
): { readonly book: InstanceBook; readonly by: string | undefined } => {
  const { current, superseded } = book;
  const process = instance ?? unnamedInstance;
  if (current === process) return { book, by: undefined };
  if (current !== undefined && instance !== undefined && superseded.includes(instance)) return { book, by: current };
  const before = current === undefined ? superseded : [...superseded, current].slice(-remembered);
  return { book: { current: process, superseded: before }, by: undefined };
};
