import { LRUCache } from 'lru-cache';

/** How long an attempt has to wait from now on, in milliseconds. */
interface AttemptWaits {
  /** Before the secret is checked. */
  readonly checkMs: number;
  /** That an attempt which fails has to wait: at least `checkMs`. It does not depend on which accounts exist. */
  readonly failureMs: number;
}

/** Is there an account of the name that was given? */
export type AccountKind = 'KNOWN' | 'UNKNOWN';

/**
 * Slows down guessing of secrets. Failures are counted by account and address together, so that an attacker cannot lock
 * another person out of an account; and by address over all accounts, except pairs that have succeeded.
 *
 * A failure for an unknown account did not guess a secret. It delays further failures from the address, for known accounts
 * too, so that answers do not reveal which accounts exist. It does not delay checks: the right secret of an account is
 * accepted at once.
 */
export interface AttemptThrottle {
  waitsOf(account: string, address: string): AttemptWaits;
  failed(account: string, address: string, kind: AccountKind): void;
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
  const failures = new LRUCache<string, Failures>({ max: maxRemembered });
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
    add: (key: string): void => {
      failures.set(key, { count: (current(key)?.count ?? 0) + 1, lastMs: now().getTime() });
    },
    forget: (key: string): boolean => {
      const hadFailed = current(key) !== undefined;
      failures.delete(key);
      return hadFailed;
    },
  };
};

export const createAttemptThrottle = (now: () => Date): AttemptThrottle => {
  // failures for made-up names must not push those of real accounts out of memory
  const pairs = { KNOWN: createCounter(free.pair, now), UNKNOWN: createCounter(free.pair, now) };
  const addresses = createCounter(free.address, now);
  const guessingAddresses = createCounter(free.address, now);
  const good = new LRUCache<string, true>({ max: maxRemembered });
  const pairOf = (account: string, address: string): string => `${address} ${account}`;
  return {
    waitsOf: (account, address) => {
      const pair = pairOf(account, address);
      const pairMs = Math.max(pairs.KNOWN.waitMsOf(pair), pairs.UNKNOWN.waitMsOf(pair));
      if (good.get(pair) === true) return { checkMs: pairMs, failureMs: pairMs };
      const checkMs = Math.max(pairMs, guessingAddresses.waitMsOf(address));
      return { checkMs, failureMs: Math.max(checkMs, addresses.waitMsOf(address)) };
    },
    failed: (account, address, kind) => {
      pairs[kind].add(pairOf(account, address));
      addresses.add(address);
      if (kind === 'KNOWN') guessingAddresses.add(address);
    },
    succeeded: (account, address) => {
      const pair = pairOf(account, address);
      good.set(pair, true);
      const hadFailed = pairs.KNOWN.forget(pair);
      return pairs.UNKNOWN.forget(pair) || hadFailed;
    },
  };
};
