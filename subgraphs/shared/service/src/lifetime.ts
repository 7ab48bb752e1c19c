/** Something opened that must be closed. Closing twice does no harm. */
export interface Closable {
  close(): Promise<void> | void;
}

/** What a process or part has opened, closed in reverse order by whoever opened it. */
export interface Lifetime {
  /** Adds something to close and hands it back. */
  own<T extends Closable>(resource: T): T;
  /** Adds a step of closing. */
  onClose(step: () => Promise<void> | void): void;
  /** Closes everything, the last opened first; goes on after a failing step and then throws an AggregateError. Idempotent. */
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

  return {
    own: (resource) => {
      steps.push(() => resource.close());
      return resource;
    },
    onClose: (step) => {
      steps.push(step);
    },
    close: () => (closing ??= closeAll()),
  };
};
