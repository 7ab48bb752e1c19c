/** Calls back once after the given time. @returns a function that cancels it */
export type StartTimer = (callback: () => void, milliseconds: number) => () => void;

export const startTimer: StartTimer = (callback, milliseconds) => {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
};
