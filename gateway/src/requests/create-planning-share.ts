import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';

/** Limits of the processor time that new documents may take. */
export interface PlanningLimits {
  /** Share of one caller, in milliseconds a second. A caller that was idle may use twice as much at once. */
  readonly msPerSecond: number;
  /** Most tasks of one caller that wait. */
  readonly maxWaitingPerCaller: number;
  /** Longest wait of a task, in milliseconds. */
  readonly maxWaitMs: number;
}

const defaultPlanningLimits: PlanningLimits = { msPerSecond: 500, maxWaitingPerCaller: 100, maxWaitMs: 10_000 };

/** The caller whose share the task uses. */
export type PlanningCaller = Pick<RequestContext, 'principal' | 'signal'>;

/**
 * Shares the time for parsing, validating and planning among callers. Such a task blocks the process, so one runs in each
 * turn of the event loop, and callers are served in turn.
 */
export interface PlanningShare {
  /**
   * Runs a task of a caller. A caller that has used up its time waits until it has some again.
   *
   * @throws AppError RATE_LIMITED when too many tasks of the caller wait, or one waits too long. The error of the task;
   * the signal's reason when the caller disconnects
   */
  run<T>(caller: PlanningCaller, task: () => T): Promise<T>;
}

/** Runs every task at once, without limits. */
export const unshared: PlanningShare = { run: async (_caller, task) => task() };

interface Waiting {
  readonly start: () => void;
}

interface Account {
  /** Time that is left, in milliseconds, at `updatedMs`. */
  leftMs: number;
  updatedMs: number;
  readonly waiting: Set<Waiting>;
}

export interface PlanningShareOptions {
  readonly limits?: PlanningLimits;
  /** Called for each task that is refused. */
  readonly onBoundHit?: () => void;
  /** Milliseconds of a monotonic clock. */
  readonly clock?: () => number;
}

/** When there are this many accounts, those with all of their time left are dropped. */
const maxIdleAccounts = 256;

export const createPlanningShare = (options: PlanningShareOptions = {}): PlanningShare => {
  const { limits = defaultPlanningLimits, onBoundHit = () => undefined, clock = () => performance.now() } = options;
  const fullMs = 2 * limits.msPerSecond;
  const gainedPerMs = limits.msPerSecond / 1000;
  /** In the order in which callers are served. A served caller moves to the end. */
  const accounts = new Map<string, Account>();
  let isTurnTaken = false;
  let timer: NodeJS.Timeout | undefined;

  const update = (account: Account): Account => {
    const nowMs = clock();
    account.leftMs = Math.min(fullMs, account.leftMs + (nowMs - account.updatedMs) * gainedPerMs);
    account.updatedMs = nowMs;
    return account;
  };

  const dropIdle = (): void => {
    for (const [key, account] of accounts) {
      if (account.waiting.size === 0 && update(account).leftMs >= fullMs) accounts.delete(key);
    }
  };

  const accountOf = (key: string): Account => {
    const known = accounts.get(key);
    if (known !== undefined) return update(known);
    if (accounts.size >= maxIdleAccounts) dropIdle();
    const account: Account = { leftMs: fullMs, updatedMs: clock(), waiting: new Set() };
    accounts.set(key, account);
    return account;
  };

  const charged = <T>(account: Account, task: () => T): T => {
    isTurnTaken = true;
    setImmediate(() => {
      isTurnTaken = false;
      startNext();
    });
    const startedMs = clock();
    try {
      return task();
    } finally {
      account.leftMs -= clock() - startedMs;
    }
  };

  const startNext = (): void => {
    clearTimeout(timer);
    if (isTurnTaken) return;
    let soonestMs = Infinity;
    for (const [key, account] of accounts) {
      const [next] = account.waiting;
      if (next === undefined) continue;
      const { leftMs } = update(account);
      if (leftMs > 0) {
        accounts.delete(key);
        accounts.set(key, account);
        next.start();
        return;
      }
      soonestMs = Math.min(soonestMs, (1 - leftMs) / gainedPerMs);
    }
    if (soonestMs !== Infinity) timer = setTimeout(startNext, Math.ceil(soonestMs)).unref();
  };

  const refuse = (): AppError => {
    onBoundHit();
    return new AppError('RATE_LIMITED', 'too many new documents of one caller wait to be planned');
  };

  const whenItsTurn = <T>(account: Account, task: () => T, signal: AbortSignal | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error);
      if (account.waiting.size >= limits.maxWaitingPerCaller) return reject(refuse());
      const leave = (): void => {
        clearTimeout(tooLate);
        signal?.removeEventListener('abort', giveUp);
        account.waiting.delete(entry);
      };
      const giveUp = (): void => {
        leave();
        reject(signal?.reason as Error);
      };
      const entry: Waiting = {
        start: () => {
          leave();
          try {
            resolve(charged(account, task));
          } catch (error) {
            reject(error);
          }
        },
      };
      const tooLate = setTimeout(() => {
        leave();
        reject(refuse());
      }, limits.maxWaitMs).unref();
      signal?.addEventListener('abort', giveUp, { once: true });
      account.waiting.add(entry);
      startNext();
    });

  return {
    run: async (caller, task) => {
      const account = accountOf(caller.principal.uuid);
      const isFree = !isTurnTaken && account.waiting.size === 0 && account.leftMs > 0;
      return isFree ? charged(account, task) : whenItsTurn(account, task, caller.signal);
    },
  };
};
