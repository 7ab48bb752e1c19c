/** Repeats an announcement until it is confirmed. */
export interface Announcement {
  /** Sends the announcement now, and repeats it from now on. */
  begin(): void;
  heard(): void;
}

/** @param everyMs interval in milliseconds */
export const announceUntilHeard = (announce: () => unknown, everyMs: number): Announcement => {
  let timer: NodeJS.Timeout | undefined;
  const heard = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    begin: () => {
      heard();
      announce();
      timer = setInterval(announce, everyMs);
      timer.unref();
    },
    heard,
  };
};
