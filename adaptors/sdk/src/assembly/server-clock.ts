/** Estimates the server's time from the `time` of its messages, so that a wrong clock of this machine does no harm. */
export interface ServerClock {
  /** Notes the time of a message that has just arrived. */
  hear(time: string): void;
  /** Has the time passed on the server's clock? */
  hasPassed(time: string): boolean;
}

/** Number of remembered messages. After so many messages, the estimate reflects a correction of a clock. */
const remembered = 8;

/**
 * The message that arrived fastest gives the best estimate of the difference between the clocks. Before the first
 * message, the difference is 0.
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
