/** Says something again and again until it is heard. */
export interface Announcement {
  /** Says it now, and from now on. */
  begin(): void;
  heard(): void;
}

/** @param everyMs between two times, in milliseconds */
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
