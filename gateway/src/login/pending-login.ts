import { randomBytes } from 'node:crypto';
import type { Sealer } from '@fds/auth';
import type { SignInChecks } from './sign-in-provider.js';

/** A sign-in in progress. The browser stores it encrypted, so that any process can complete it. */
interface PendingLogin extends SignInChecks {
  /** Address to which the provider redirects the browser. */
  readonly callback: string;
  /** Final address of the sign-in; undefined when the tokens are the answer. */
  readonly redirectUri: string | undefined;
  /** The value that the application receives together with its code. */
  readonly applicationState: string | undefined;
  readonly expiresAtMs: number;
}

/** Cookies of sign-ins in progress. Each has its own, so that several windows do not affect each other. */
export interface PendingLogins {
  /** @returns the sign-in, and the header that stores it in the browser */
  start(target: Pick<PendingLogin, 'callback' | 'redirectUri' | 'applicationState'>): {
    readonly pending: PendingLogin;
    readonly cookie: string;
  };
  /** The sign-in with this `state` in this browser; undefined when it does not exist, or took too long. */
  find(cookies: string | undefined, state: string): PendingLogin | undefined;
  /** The header that deletes the sign-in in the browser. */
  forget(state: string): string;
}

const lifetimeMs = 600_000;

const cookieName = (state: string): string => `fds_login_${state.slice(0, 16).replaceAll(/[^\w-]/g, '')}`;

const readCookie = (cookies: string | undefined, name: string): string | undefined =>
  cookies
    ?.split(';')
    .map((cookie) => cookie.trim())
    .find((cookie) => cookie.startsWith(`${name}=`))
    ?.slice(name.length + 1);

const randomText = (): string => randomBytes(32).toString('base64url');

/** @param isSecure whether clients connect by https */
export const createPendingLogins = (sealer: Sealer, now: () => Date, isSecure: boolean): PendingLogins => {
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;

  const unseal = (sealed: string): PendingLogin | undefined => {
    try {
      return JSON.parse(sealer.unseal(sealed)) as PendingLogin;
    } catch {
      return undefined;
    }
  };

  return {
    start: (target) => {
      const checks = { state: randomText(), nonce: randomText(), codeVerifier: randomText() };
      const pending = { ...checks, ...target, expiresAtMs: now().getTime() + lifetimeMs };
      const value = sealer.seal(JSON.stringify(pending));
      return { pending, cookie: `${cookieName(pending.state)}=${value}; Max-Age=${lifetimeMs / 1000}; ${attributes}` };
    },
    find: (cookies, state) => {
      const sealed = readCookie(cookies, cookieName(state));
      const pending = sealed === undefined ? undefined : unseal(sealed);
      return pending?.state === state && pending.expiresAtMs > now().getTime() ? pending : undefined;
    },
    forget: (state) => `${cookieName(state)}=; Max-Age=0; ${attributes}`,
  };
};
