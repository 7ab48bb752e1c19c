import type { Principal } from '@fds/auth';
import { AppError } from '@fds/errors';
import type { Authenticator } from '@fds/identity';
import type { RateLimiter } from './rate-limiter.js';

/** The origin of a request. */
export interface Visitor {
  /** Address of the caller, or of an untrusted proxy. */
  readonly ip: string;
  /** The requested resource, if there is one. */
  readonly method?: string;
  readonly url?: string;
}

/** Receives the headers of the answer. */
export interface AnswerHeaders {
  header(name: string, value: string): unknown;
}

/** The entrance of the doors: authentication and rate limits. */
export interface Admission {
  /**
   * Returns the principal of the bearer token. Requests with a valid token are counted by token, all others by address.
   *
   * @param reply receives `RateLimit` and `RateLimit-Policy`; undefined when the answer cannot have headers
   * @throws AppError UNAUTHENTICATED, FORBIDDEN for a person without a zone, RATE_LIMITED, UNAVAILABLE
   */
  admit(authorizationHeader: string | undefined, visitor?: Visitor, reply?: AnswerHeaders): Promise<Principal>;
  /**
   * Counts further work of an admitted request as requests of its token.
   *
   * @throws AppError RATE_LIMITED, UNAUTHENTICATED when the token has ended in the meantime
   */
  admitMore(authorizationHeader: string | undefined, requests: number): Promise<void>;
  /** Counts a request that needs no token. @throws AppError RATE_LIMITED */
  admitAnyone(visitor: Visitor, reply: AnswerHeaders): void;
}

export interface AdmissionOptions {
  readonly authenticator: Pick<Authenticator, 'identify'>;
  /** Undefined when there is no limit. */
  readonly rateLimiter: RateLimiter | undefined;
  /** Called for every refused caller. */
  readonly onRefused?: (error: AppError, visitor: Visitor) => void;
  /** Called for each request over the rate limit. */
  readonly onRateLimited?: () => void;
}

const nowhere: Visitor = { ip: '' };

export const createAdmission = ({
  authenticator,
  rateLimiter,
  onRefused,
  onRateLimited,
}: AdmissionOptions): Admission => {
  /** Names of draft-ietf-httpapi-ratelimit-headers: the counted unit, the quota, its window in seconds. */
  const policyOf = (kind: 'token' | 'address'): string => `"${kind}";q=${rateLimiter?.perSecond};w=1`;
  const policies = { token: policyOf('token'), address: policyOf('address') };

  const count = (kind: 'token' | 'address', key: string, reply: AnswerHeaders | undefined, requests = 1): void => {
    if (rateLimiter === undefined) return;
    const left = rateLimiter.take(key, requests);
    if (reply !== undefined) {
      reply.header('ratelimit-policy', policies[kind]);
      reply.header('ratelimit', `"${kind}";r=${left < 0 ? 0 : left};t=1`);
    }
    if (left >= 0) return;
    onRateLimited?.();
    throw new AppError('RATE_LIMITED', `more than ${rateLimiter.perSecond} requests in a second`);
  };

  return {
    admit: async (authorizationHeader, visitor = nowhere, reply) => {
      let caller;
      try {
        caller = await authenticator.identify(authorizationHeader);
      } catch (error) {
        if (error instanceof AppError && error.code !== 'UNAVAILABLE') {
          count('address', visitor.ip, reply);
          onRefused?.(error, visitor);
        }
        throw error;
      }
      count('token', caller.claims.jti, reply);
      return caller.principal;
    },
    admitMore: async (authorizationHeader, requests) => {
      if (rateLimiter === undefined) return;
      const { claims } = await authenticator.identify(authorizationHeader);
      count('token', claims.jti, undefined, requests);
    },
    admitAnyone: ({ ip }, reply) => count('address', ip, reply),
  };
};
