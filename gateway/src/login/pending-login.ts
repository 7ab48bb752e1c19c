import { randomBytes } from 'node:crypto';
import type { Sealer } from '@fds/auth';
import type { SignInChecks } from './sign-in-provider.js';

/** A sign-in under way. It is kept by the browser, sealed, so that any process can complete it. */
interface PendingLogin extends SignInChecks {
  /** Where the provider sends the browser back to. */
  readonly callback: string;
  /** Where the sign-in leads to in the end; undefined: its tokens are answered. */
  readonly redirectUri: string | undefined;
  /** The value that the application gets back with its code. */
  readonly applicationState: string | undefined;
  readonly expiresAtMs: number;
}

/** Cookies of sign-ins under way, one each: several windows do not disturb each other. */
export interface PendingLogins {
  /** @returns the sign-in, and the header that makes the browser keep it */
  start(target: Pick<PendingLogin, 'callback' | 'redirectUri' | 'applicationState'>): {
    readonly pending: PendingLogin;
    readonly cookie: string;
  };
  /** The sign-in that `state` belongs to in this browser; undefined when it has none, or took too long. */
  find(cookies: string | undefined, state: string): PendingLogin | undefined;
  /** The header that makes the browser forget it. */
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

/** @param isSecure whether clients reach the service by https */
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
