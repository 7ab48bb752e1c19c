import type { Principal, TokenClaims } from '@fds/auth';
import type { Database } from '@fds/database';
import { AppError } from '@fds/errors';
import type { Closable, Log } from '@fds/service';
import { loadHolder } from './load-holder.js';
import { loadRevokedTokens } from './revoked-tokens.js';

/** Knows who a verified token belongs to. */
export interface IdentityDirectory extends Closable {
  /**
   * Who the token was issued to, with what they may do now.
   *
   * @throws AppError UNAUTHENTICATED with `details.reason`: `unknown` (no such person or adaptor), `inactive`, or
   * `revoked` (the token itself, or every token up to a moment after it was issued)
   */
  principalOf(claims: TokenClaims): Promise<Principal>;
}

export interface IdentityDirectoryOptions {
  readonly database: Database;
  readonly log: Log;
  readonly now: () => Date;
}

const refuse = (reason: 'unknown' | 'inactive' | 'revoked', detail: string): AppError<'UNAUTHENTICATED'> =>
  new AppError('UNAUTHENTICATED', detail, { details: { reason } });

/** Opens the directory on the tables of persons, roles, permissions and adaptors. */
export const openIdentityDirectory = async ({
  database,
  now,
}: IdentityDirectoryOptions): Promise<IdentityDirectory> => ({
  principalOf: async ({ sub, iat, jti }) => {
    if ((await loadRevokedTokens(database, now())).has(jti)) throw refuse('revoked', 'the token was revoked');
    const holder = await loadHolder(database, sub);
    if (holder === undefined) throw refuse('unknown', 'the holder of the token is not known');
    if (!holder.active) throw refuse('inactive', 'the holder of the token is deactivated');
    // `iat` counts whole seconds, so a token of the very second is let through
    const validFrom = holder.tokensValidFrom;
    if (validFrom !== undefined && iat < Math.floor(validFrom.getTime() / 1000))
      throw refuse('revoked', 'the tokens of the holder were revoked');
    return holder.principal;
  },
  close: () => undefined,
});
