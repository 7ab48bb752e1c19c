import { AppError } from '@fds/errors';

export interface CheckQueueOptions {
  /** Checks that run at the same time. */
  readonly maxRunning: number;
  /** Checks that wait. One more is refused. */
  readonly maxWaiting: number;
  /** Checks of one address that wait. One more is refused. */
  readonly maxWaitingOfAddress: number;
  /** Called for every refusal. */
  readonly onExceeded?: (() => void) | undefined;
}

/**
 * Bounds how many passwords are hashed at the same time. Addresses take turns, so that many checks of one address delay the first
 * check of another by one check only.
 */
export interface CheckQueue {
  /**
   * Runs the check when it has its turn.
   *
   * @throws AppError RATE_LIMITED with `details.retryAfterSeconds` when too many checks wait
   */
  run<T>(address: string, check: () => Promise<T>): Promise<T>;
  /** Waits as long as a check would wait for its turn, and leaves the turn to the next one. @throws AppError as `run` */
  passBy(address: string): Promise<void>;
}

interface Waiting {
  readonly takesTurn: boolean;
  readonly start: () => void;
}

const busy = (): AppError =>
  new AppError('RATE_LIMITED', 'too many passwords are being checked, try again in a second', {
    details: { retryAfterSeconds: 1 },
  });

export const createCheckQueue = ({
  maxRunning,
  maxWaiting,
  maxWaitingOfAddress,
  onExceeded,
}: CheckQueueOptions): CheckQueue => {
  /** In the order of their turns. */
  const addresses = new Map<string, Waiting[]>();
  let waiting = 0;
  let running = 0;

  const takeNext = (): Waiting | undefined => {
    const [entry] = addresses;
    if (entry === undefined) return undefined;
    const [address, list] = entry;
    const next = list.shift();
    addresses.delete(address);
    if (list.length > 0) addresses.set(address, list);
    waiting -= 1;
    return next;
  };
  const startNext = (): void => {
    while (running < maxRunning) {
      const next = takeNext();
      if (next === undefined) return;
      if (next.takesTurn) running += 1;
      next.start();
    }
  };
  const turn = (address: string, takesTurn: boolean): Promise<void> => {
    if (running < maxRunning && waiting === 0) {
      if (takesTurn) running += 1;
      return Promise.resolve();
    }
    const list = addresses.get(address) ?? [];
    if (waiting >= maxWaiting || list.length >= maxWaitingOfAddress) {
      onExceeded?.();
      return Promise.reject(busy());
    }
    waiting += 1;
    return new Promise((start) => {
      list.push({ takesTurn, start });
      addresses.set(address, list);
    });
  };

  return {
    run: async (address, check) => {
      await turn(address, true);
      try {
        return await check();
      } finally {
        running -= 1;
        startNext();
      }
    },
    passBy: (address) => turn(address, false),
  };
};
