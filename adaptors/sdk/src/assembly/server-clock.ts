/** Estimates the server's time by the `time` of its messages, so that a wrong clock of this machine does no harm. */
export interface ServerClock {
  /** Takes the time of a message that has just arrived. */
  hear(time: string): void;
  /** Has the time passed on the server's clock? */
  hasPassed(time: string): boolean;
}

/** A clock that is put right while the adaptor runs shows in the estimate after so many messages. */
const remembered = 8;

/**
 * The message that arrived fastest shows best how far the clocks are apart. Before the first message, they are equal.
 *
 * @param nowMs epoch milliseconds on this machine
 */
export const createServerClock = (nowMs: () => number): ServerClock => {
  const aheadMs: number[] = [];
  return {
    hear: (time) => {
      aheadMs.push(nowMs() - Date.parse(time));
      if (aheadMs.length > remembered) aheadMs.shift();
    },
    hasPassed: (time) => nowMs() - (aheadMs.length === 0 ? 0 : Math.min(...aheadMs)) > Date.parse(time),
  };
};
