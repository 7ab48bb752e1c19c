import { createBoundedCache } from '@fds/auth';

/**
 * Slows down whoever guesses secrets. Failures are counted by account and address together, so that nobody can lock
 * somebody else out of an account; and by address over all accounts, from which pairs that have succeeded are exempt.
 */
export interface AttemptThrottle {
  /** How long this attempt has to wait from now on, in milliseconds. */
  waitMsOf(account: string, address: string): number;
  failed(account: string, address: string): void;
  /** @returns whether there were failures to forget */
  succeeded(account: string, address: string): boolean;
}

interface Failures {
  readonly count: number;
  readonly lastMs: number;
}

/** Failures that cost no time. */
const free = { pair: 5, address: 100 };
const firstWaitMs = 250;
const maxWaitMs = 30_000;
const forgottenAfterMs = 15 * 60_000;
const maxRemembered = 10_000;

const createCounter = (freeFailures: number, now: () => Date) => {
  const failures = createBoundedCache<string, Failures>(maxRemembered);
  const current = (key: string): Failures | undefined => {
    const known = failures.get(key);
    return known !== undefined && now().getTime() - known.lastMs < forgottenAfterMs ? known : undefined;
  };
  return {
    waitMsOf: (key: string): number => {
      const known = current(key);
      if (known === undefined || known.count < freeFailures) return 0;
      const waitMs = Math.min(firstWaitMs * 2 ** (known.count - freeFailures), maxWaitMs);
      return Math.max(0, known.lastMs + waitMs - now().getTime());
    },
    add: (key: string): void => failures.set(key, { count: (current(key)?.count ?? 0) + 1, lastMs: now().getTime() }),
    forget: (key: string): boolean => {
      const hadFailed = current(key) !== undefined;
      failures.delete(key);
      return hadFailed;
    },
  };
};

export const createAttemptThrottle = (now: () => Date): AttemptThrottle => {
  const pairs = createCounter(free.pair, now);
  const addresses = createCounter(free.address, now);
  const good = createBoundedCache<string, true>(maxRemembered);
  const pairOf = (account: string, address: string): string => `${address} ${account}`;
  return {
    waitMsOf: (account, address) => {
      const pair = pairOf(account, address);
      return Math.max(pairs.waitMsOf(pair), good.get(pair) === true ? 0 : addresses.waitMsOf(address));
    },
    failed: (account, address) => {
      pairs.add(pairOf(account, address));
      addresses.add(address);
    },
    succeeded: (account, address) => {
      const pair = pairOf(account, address);
      good.set(pair, true);
      return pairs.forget(pair);
    },
  };
};
