/** Something opened that must be closed. Closing twice does no harm. */
export interface Closable {
  close(): Promise<void> | void;
}

/** Resources that a process or part has opened, closed in reverse order by their opener. */
export interface Lifetime {
  /** Adds something to close and hands it back. A resource that is added during or after the closing is closed as well. */
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

  const closeLate = async (closedBefore: Promise<void>): Promise<void> => {
    const [earlier] = await Promise.allSettled([closedBefore]);
    await closeAll();
    if (earlier.status === 'rejected') throw earlier.reason;
  };

  const onClose: Lifetime['onClose'] = (step) => {
    steps.push(step);
    if (closing === undefined) return;
    // a resource that opens while the process ends would otherwise stay open; the caller of close gets its failure
    closing = closeLate(closing);
    closing.catch(() => undefined);
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
