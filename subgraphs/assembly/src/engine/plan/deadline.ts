import { AppError } from '@fds/errors';

/** The time-out of a request, counted from its start. */
export interface Deadline {
  /** At least 0. */
  remainingMs(): number;
  /** Waits for work that the answer needs. @throws AppError UNAVAILABLE when the time is over first */
  within<T>(work: Promise<T>): Promise<T>;
}

export const createDeadline = (timeoutMs: number, clock: () => number = () => performance.now()): Deadline => {
  const endsAt = clock() + timeoutMs;
  const remainingMs = (): number => Math.max(0, endsAt - clock());
  return {
    remainingMs,
    within: async (work) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          reject(new AppError('UNAVAILABLE', 'the request could not be planned within its time-out'));
        }, remainingMs());
      });
      try {
        return await Promise.race([work, late]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
};
