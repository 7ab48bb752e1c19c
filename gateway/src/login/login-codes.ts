import { createHash, randomBytes } from 'node:crypto';
import type { Sealer } from '@fds/auth';
import type { Database } from '@fds/database';
import type { SignedIn } from './sign-in-provider.js';

/** Codes that an application exchanges for the tokens of a sign-in. Each works once and for a minute. */
export interface LoginCodes {
  /** Stores the tokens. @returns the code */
  put(tokens: SignedIn): Promise<string>;
  /** Returns the tokens of a code and deletes it; undefined when it is unknown, used, or too old. */
  take(code: string): Promise<SignedIn | undefined>;
}

/** Stored with the authorization server's artifacts. */
const model = 'LoginCode';
const lifetimeMs = 60_000;

// the database does not show the code or the tokens
const idOf = (code: string): string => createHash('sha256').update(code).digest('base64url');

export const createLoginCodes = ({ pool }: Database, sealer: Sealer, now: () => Date): LoginCodes => ({
  put: async (tokens) => {
    const code = randomBytes(32).toString('base64url');
    const payload = JSON.stringify({ sealed: sealer.seal(JSON.stringify(tokens)) });
    await pool.query('DELETE FROM oidc_artifact WHERE model = $1 AND expires_at <= $2', [model, now()]);
    await pool.query('INSERT INTO oidc_artifact (model, id, payload, expires_at) VALUES ($1, $2, $3::jsonb, $4)', [
      model,
      idOf(code),
      payload,
      new Date(now().getTime() + lifetimeMs),
    ]);
    return code;
  },
  take: async (code) => {
    const { rows } = await pool.query<{ readonly payload: { readonly sealed: string }; readonly expires_at: Date }>(
      'DELETE FROM oidc_artifact WHERE model = $1 AND id = $2 RETURNING payload, expires_at',
      [model, idOf(code)],
    );
    const row = rows[0];
    if (row === undefined || row.expires_at <= now()) return undefined;
    return JSON.parse(sealer.unseal(row.payload.sealed)) as SignedIn;
  },
});
