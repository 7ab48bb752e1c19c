/** Work that is never run twice at once, and once more when it was woken while it ran. */
export interface Wakeable {
  wake(): void;
  /** Waits until the work rests. */
  settle(): Promise<void>;
}

/** @param onError takes the error of the work; the work then rests until the next wake */
export const createWakeable = (work: () => Promise<void>, onError: (error: unknown) => void): Wakeable => {
  let woken = false;
  let running: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    try {
      while (woken) {
        woken = false;
        await work();
      }
    } catch (error) {
      onError(error);
    } finally {
      // in the same turn as the last look at `woken`: no wake is lost
      running = undefined;
    }
  };

  return {
    wake: () => {
      woken = true;
      running ??= Promise.resolve().then(run);
    },
    settle: () => running ?? Promise.resolve(),
  };
};
