import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import * as oauth from 'oauth4webapi';
import type { OAuth2Registration } from './oauth2-registration.js';
import { requestToken } from './request-token.js';

export interface TokenSourceOptions {
  readonly fetch: typeof fetch;
  readonly now: () => Date;
  readonly maxTokens: number;
  /** Longest time for discovery and token request together. */
  readonly timeoutMs: number;
}

/** Access tokens, one for each registration until it expires. */
export interface TokenSource {
  /**
   * One request serves all callers that wait for the same token.
   *
   * @throws TokenFailure, RefusedTarget, or the signal's reason
   */
  token(registration: OAuth2Registration, signal: AbortSignal): Promise<string>;
  /** Forgets the token when it is still this one. */
  drop(registration: OAuth2Registration, token: string): void;
}

interface KeptToken {
  readonly token: string;
  readonly untilMs: number;
}

/** For authorization servers that do not say how long a token holds. */
const defaultSeconds = 300;
const maxSeconds = 86_400;
const earlySeconds = 30;

/** A digest, so that secrets do not stay in memory as keys. */
const keyOf = (registration: OAuth2Registration): string => {
  const { issuerUri, tokenUri, clientId, clientSecret, clientAuthenticationMethod, scope } = registration;
  return createHash('sha256')
    .update(JSON.stringify([issuerUri, tokenUri, clientId, clientSecret, clientAuthenticationMethod, scope]))
    .digest('base64');
};

/** Renewed early, so that no token expires on its way. */
const lifetimeMs = (expiresIn: number = defaultSeconds): number => {
  const seconds = Math.min(expiresIn, maxSeconds);
  return Math.max(seconds - Math.min(earlySeconds, seconds / 10), 0) * 1000;
};

const orAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });

export const createTokenSource = ({ fetch, now, maxTokens, timeoutMs }: TokenSourceOptions): TokenSource => {
  const tokens = new LRUCache<string, KeptToken>({ max: maxTokens });
  const requests = new Map<string, Promise<string>>();

  const request = async (key: string, registration: OAuth2Registration): Promise<string> => {
    const { token, expiresIn } = await requestToken(registration, {
      [oauth.customFetch]: fetch,
      [oauth.allowInsecureRequests]: true,
      signal: AbortSignal.timeout(timeoutMs),
    });
    tokens.set(key, { token, untilMs: now().getTime() + lifetimeMs(expiresIn) });
    return token;
  };

  return {
    token: async (registration, signal) => {
      const key = keyOf(registration);
      const kept = tokens.get(key);
      if (kept !== undefined && now().getTime() < kept.untilMs) return kept.token;
      const running = requests.get(key) ?? request(key, registration).finally(() => requests.delete(key));
      requests.set(key, running);
      return orAborted(running, signal);
    },
    drop: (registration, token) => {
      const key = keyOf(registration);
      if (tokens.get(key)?.token === token) tokens.delete(key);
    },
  };
};
