/** The latest starts of an adaptor whose processes do not name themselves. */
export interface NamelessStarts {
  /** Epoch ms, ascending. There are never more than `contendedFrom`. */
  readonly times: readonly number[];
}

export const noStarts: NamelessStarts = { times: [] };

const contendedFrom = 6;
const withinMs = 60_000;

/** Notes a start. */
export const notedStart = ({ times }: NamelessStarts, atMs: number): NamelessStarts => ({
  times: [...times, atMs].slice(-contendedFrom),
});

/**
 * The sentence for `stateMessage` while an adaptor restarts repeatedly, because two processes with the same credentials
 * end each other's connections. Undefined otherwise. The server cannot ask processes without a name to stop.
 */
export const contentionOf = ({ times }: NamelessStarts, nowMs: number): string | undefined => {
  const [first] = times;
  const last = times.at(-1);
  if (first === undefined || last === undefined || times.length < contendedFrom) return undefined;
  if (last - first > withinMs || nowMs - last > withinMs) return undefined;
  return `two processes seem to use the same credentials: ${times.length} starts within a minute, the last one at ${new Date(last).toISOString()}`;
};
