/** Something opened that must be closed. Closing twice does no harm. */
export interface Closable {
  close(): Promise<void> | void;
}

/** What a process or part has opened, closed in reverse order by whoever opened it. */
export interface Lifetime {
  /** Adds something to close and hands it back. What is added while or after it closes is closed as well. */
  own<T extends Closable>(resource: T): T;
  /** Adds a step of closing. */
  onClose(step: () => Promise<void> | void): void;
  /**
   * Closes everything, the last opened first. Idempotent.
   *
   * @throws AggregateError of every failure, after all steps were tried
   */
  close(): Promise<void>;
}

export const createLifetime = (): Lifetime => {
  const steps: (() => Promise<void> | void)[] = [];
  let closing: Promise<void> | undefined;

  const closeAll = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'closing failed');
  };

  const onClose: Lifetime['onClose'] = (step) => {
    steps.push(step);
    // whatever opens while the process ends would otherwise stay open
    if (closing === undefined) return;
    closing = Promise.allSettled([closing]).then(async ([earlier]) => {
      await closeAll();
      if (earlier.status === 'rejected') throw earlier.reason;
    });
    closing.catch(() => undefined); // told to whoever asks to close
  };

  return {
    own: (resource) => {
      onClose(() => resource.close());
      return resource;
    },
    onClose,
    close: () => (closing ??= closeAll()),
  };
};
