import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { verifySecret, type Sealer } from '@fds/auth';
import { LRUCache } from 'lru-cache';
import type { Database } from '@fds/database';
import { AppError } from '@fds/errors';
import { createKeyQueues } from '@fds/service';
import { createAttemptThrottle, type AttemptThrottle } from './attempt-throttle.js';
import { createCheckQueue, type CheckQueue } from './check-queue.js';
import { createInFlight } from './in-flight.js';
import { loadCredentials, namesAdaptor, type Client, type Credentials } from './load-credentials.js';

/** A client that has proved who it is. */
export interface AuthenticatedClient extends Client {
  /** Epoch of the secret that was given, for `token_epoch` of the tokens. */
  readonly tokenEpoch: number;
  /** When the tokens end at the latest: a previous secret gives none that outlive it. Undefined: no limit. */
  readonly tokensUntil?: Date | undefined;
}

/** Finds clients in the tables and compares their secrets with those that are sent. */
export interface ClientAuthenticator {
  /** The active client with the id; undefined when no such client exists. */
  find(clientId: string): Promise<Client | undefined>;
  /**
   * The client when it is active and the secret is its own: a person's, an adaptor's, or an adaptor's previous one
   * during its grace period. After some failures each attempt takes longer; attempts of one client from one address are
   * made one after the other. The time of a failure does not tell whether the client exists.
   *
   * @param secrets readings of one secret. One correct reading is enough; together they count as one attempt
   * @param address where the attempt comes from
   * @throws AppError RATE_LIMITED with `details.retryAfterSeconds` when it would have to wait too long, or too many are under way
   */
  authenticate(clientId: string, secrets: readonly string[], address: string): Promise<AuthenticatedClient | undefined>;
}

/** Bounds of the attempts of a process. */
export interface AttemptLimits {
  /** Passwords that are hashed at the same time. */
  readonly maxRunningChecks: number;
  /** Passwords that wait to be hashed; a quarter of them of one address. */
  readonly maxWaitingChecks: number;
  /** Attempts that are not answered yet; half of them of one address, at most 64 of one account from one address. */
  readonly maxAttempts: number;
}

export interface ClientAuthenticatorOptions {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly now: () => Date;
  /** Slows guessing down. Default: one of this process. */
  readonly throttle?: AttemptThrottle | undefined;
  /** Called for every wrong secret. @param client the named client; undefined for an unknown name */
  readonly onRefused?: ((client: Client | undefined, address: string) => void) | undefined;
  /** Default: 2 checks, 256 that wait, 2000 attempts. */
  readonly limits?: AttemptLimits | undefined;
  /** Where passwords are hashed. Default: a separate queue with `limits`. */
  readonly queue?: CheckQueue | undefined;
  /** Called for every attempt that is refused because too many are under way. */
  readonly onBusy?: (() => void) | undefined;
}

const standardLimits: AttemptLimits = { maxRunningChecks: 2, maxWaitingChecks: 256, maxAttempts: 2_000 };
/** Bounds of the queue in which passwords are hashed. */
export const checkLimitsOf = ({
  maxRunningChecks: maxRunning,
  maxWaitingChecks: maxWaiting,
}: Pick<AttemptLimits, 'maxRunningChecks' | 'maxWaitingChecks'>) => ({
  maxRunning,
  maxWaiting,
  maxWaitingOfAddress: Math.ceil(maxWaiting / 4),
});

const maxAttemptsOfPair = 64;
const rememberedMs = 60_000;
const maxRemembered = 1_000;
/** A longer wait is the caller's own. */
const maxPauseMs = 2_000;
/** Failures are answered at multiples of this time, which is longer than a check takes: the time of a check is not seen. */
const failureStepMs = 250;
/** Duration of a check before the first one was measured. */
const assumedCheckMs = 60;

const tooManyFailures = (waitMs: number): AppError => {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  return new AppError('RATE_LIMITED', `too many failed attempts, try again in ${retryAfterSeconds} seconds`, {
    details: { retryAfterSeconds },
  });
};

export const createClientAuthenticator = ({
  database,
  sealer,
  now,
  throttle = createAttemptThrottle(now),
  onRefused,
  limits = standardLimits,
  onBusy,
  queue = createCheckQueue({ ...checkLimitsOf(limits), onExceeded: onBusy }),
}: ClientAuthenticatorOptions): ClientAuthenticator => {
  const { maxAttempts: maxAll } = limits;
  const inFlight = createInFlight({ maxAll, maxOfAddress: Math.ceil(maxAll / 2), maxOfPair: maxAttemptsOfPair });
  const attempts = createKeyQueues();
  const macKey = randomBytes(32);
  const mac = (text: string): Buffer => createHmac('sha256', macKey).update(text).digest();
  /** Hash of a person's secret to the secret that was found to match: a new secret has a new hash. */
  const verified = new LRUCache<string, { readonly mac: Buffer; readonly until: number }>({ max: maxRemembered });
  let checkMs = assumedCheckMs;

  const hashes = async (secret: string, hash: string): Promise<boolean> => {
    const startedMs = performance.now();
    const matches = await verifySecret(secret, hash);
    checkMs += (performance.now() - startedMs - checkMs) / 8;
    return matches;
  };

  const matchesHash = async (secret: string, hash: string, address: string): Promise<boolean> => {
    const known = verified.get(hash);
    if (known !== undefined && known.until > now().getTime() && timingSafeEqual(known.mac, mac(secret))) return true;
    if (!(await queue.run(address, () => hashes(secret, hash)))) return false;
    verified.set(hash, { mac: mac(secret), until: now().getTime() + rememberedMs });
    return true;
  };

  const check = async (
    { client, tokenEpoch, secret: own }: Credentials,
    secret: string,
    address: string,
  ): Promise<AuthenticatedClient | undefined> => {
    if ('hash' in own) return (await matchesHash(secret, own.hash, address)) ? { ...client, tokenEpoch } : undefined;
    const sent = mac(secret);
    const match = own.sealed.find(
      ({ sealed, until }) =>
        (until === undefined || until > now()) && timingSafeEqual(mac(sealer.unseal(sealed)), sent),
    );
    return match === undefined ? undefined : { ...client, tokenEpoch, tokensUntil: match.until };
  };

  /** @param tookMs duration of the attempt, or its duration if the client existed */
  const untilNextStep = async (startedMs: number, tookMs: number): Promise<void> => {
    const answerMs = Math.ceil(tookMs / failureStepMs) * failureStepMs;
    await pause(Math.max(0, startedMs + answerMs - performance.now()));
  };

  const checkAny = async (
    credentials: Credentials,
    secrets: readonly string[],
    address: string,
  ): Promise<AuthenticatedClient | undefined> => {
    for (const secret of secrets) {
      const client = await check(credentials, secret, address);
      if (client !== undefined) return client;
    }
    return undefined;
  };

  const attempt = async (
    clientId: string,
    secrets: readonly string[],
    address: string,
  ): Promise<AuthenticatedClient | undefined> => {
    const startedMs = performance.now();
    const waits = throttle.waitsOf(clientId, address);
    const isRefused = waits.failureMs > maxPauseMs;
    let spentMs = 0;
    if (waits.checkMs <= maxPauseMs) {
      if (waits.checkMs > 0) await pause(waits.checkMs);
      const credentials = await loadCredentials(database, clientId);
      if (credentials === undefined) {
        // an unknown person costs no hash, and takes the time of one
        if (!namesAdaptor(clientId)) {
          await queue.passBy(address);
          spentMs = checkMs * secrets.length;
        }
      } else {
        const client = await checkAny(credentials, secrets, address);
        if (client !== undefined) {
          throttle.succeeded(clientId, address);
          return client;
        }
      }
      throttle.failed(clientId, address, credentials === undefined ? 'UNKNOWN' : 'KNOWN');
      onRefused?.(credentials?.client, address);
    }
    const spent = performance.now() - startedMs + spentMs;
    await untilNextStep(startedMs, Math.max(spent, (isRefused ? 0 : waits.failureMs) + checkMs));
    if (isRefused) throw tooManyFailures(waits.failureMs);
    return undefined;
  };

  return {
    find: async (clientId) => (await loadCredentials(database, clientId))?.client,
    authenticate: async (clientId, secrets, address) => {
      const leave = inFlight.enter(clientId, address);
      if (leave === undefined) {
        onBusy?.();
        throw new AppError('RATE_LIMITED', 'too many attempts are under way, try again in a second', {
          details: { retryAfterSeconds: 1 },
        });
      }
      try {
        return await attempts.run(`${address} ${clientId}`, () => attempt(clientId, secrets, address));
      } finally {
        leave();
      }
    },
  };
};
