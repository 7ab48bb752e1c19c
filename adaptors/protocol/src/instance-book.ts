/** The processes of an adaptor, as their state reports name them. */
export interface InstanceBook {
  readonly current: string | undefined;
  /** Those that another process took over from, the latest last. */
  readonly superseded: readonly string[];
}

export const emptyInstanceBook: InstanceBook = { current: undefined, superseded: [] };

/** Stands for the processes that do not name themselves. A uuid, because notices carry it. */
export const unnamedInstance = '00000000-0000-0000-0000-000000000000';

/** Most processes of an adaptor that are remembered. */
const remembered = 16;

/**
 * A process reports that it starts. The process that connected last is the current one. A process that returns after
 * another one took over is superseded: both have the same credentials, and each would end the other's connection for ever.
 *
 * A process without a name cannot be asked to end, so it always becomes the current one: a named process that returns ends.
 *
 * @param instance undefined: the process does not name itself
 * @returns the book, and the process that took over from this one; undefined: this one is current
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
