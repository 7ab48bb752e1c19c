import { createBoundedCache, type Principal, type TokenClaims } from '@fds/auth';
import { openChangeLogReader, type Database, type LoggedChange } from '@fds/database';
import { AppError } from '@fds/errors';
import type { Closable, Log } from '@fds/service';
import { loadHolder, type Holder } from './load-holder.js';
import { loadRevokedTokens, revokedTokenResourceType, storeRevokedToken } from './revoked-tokens.js';

/** Knows who a verified token belongs to, without asking the database again until something changes. */
export interface IdentityDirectory extends Closable {
  /**
   * Who the token was issued to, with what they may do now.
   *
   * @throws AppError UNAUTHENTICATED with `details.reason`: `unknown` (no such person or adaptor), `inactive`, or
   * `revoked` (the token itself, or every token up to a moment after it was issued)
   */
  principalOf(claims: TokenClaims): Promise<Principal>;
  /**
   * Forgets who may do what. For writers in this process, after their commit: whoever asks next is answered from the
   * tables. The other processes hear of it from the change log within milliseconds.
   */
  forget(): void;
  /**
   * Revokes one token (RFC 7009): refused here from now on, by the other processes as soon as they read the change log,
   * within a second. Revoking twice does no harm.
   */
  revoke(claims: TokenClaims): Promise<void>;
}

export interface IdentityDirectoryOptions {
  readonly database: Database;
  readonly log: Log;
  readonly now: () => Date;
  /** Holders remembered at most. Default 10 000. */
  readonly maxRemembered?: number;
}

/** Changes that touch what a principal is or may do. */
const grantTypes: readonly string[] = ['Zone', 'User', 'Group', 'Role', 'Permission'];
const relevantTypes = [...grantTypes, 'Adaptor', revokedTokenResourceType];

const refuse = (reason: 'unknown' | 'inactive' | 'revoked', detail: string): AppError<'UNAUTHENTICATED'> =>
  new AppError('UNAUTHENTICATED', detail, { details: { reason } });

/** Opens the directory on the tables of persons, roles, permissions and adaptors; follows the change log until closed. */
export const openIdentityDirectory = async ({
  database,
  log,
  now,
  maxRemembered = 10_000,
}: IdentityDirectoryOptions): Promise<IdentityDirectory> => {
  const holders = createBoundedCache<string, Promise<Holder | undefined>>(maxRemembered);
  let revoked: Promise<Set<string>> | undefined;

  const forget = (changes: readonly LoggedChange[]): void => {
    for (const { resourceType, resourceUuid } of changes) {
      if (resourceType === revokedTokenResourceType) revoked = undefined;
      else if (resourceType === 'Adaptor' && resourceUuid !== undefined) holders.delete(resourceUuid);
      else holders.clear();
    }
  };
  // from now on nothing is remembered that the reader would not hear of
  const reader = await openChangeLogReader({
    database,
    from: 'now',
    resourceTypes: relevantTypes,
    onChanges: forget,
    // a page waits for open transactions, to keep its order; what is forgotten needs none
    onCommitted: (changedType) => {
      if (grantTypes.includes(changedType)) holders.clear();
    },
    log,
  });

  /** Remembers the load itself: a change that arrives while it runs forgets it, so no stale one stays. */
  const holderOf = async (uuid: string): Promise<Holder | undefined> => {
    const known = holders.get(uuid);
    if (known !== undefined) return known;
    const loading = loadHolder(database, uuid);
    holders.set(uuid, loading);
    let holder: Holder | undefined;
    try {
      holder = await loading;
      return holder;
    } finally {
      // neither a failure nor an unknown uuid is worth remembering
      if (holder === undefined && holders.get(uuid) === loading) holders.delete(uuid);
    }
  };

  const revokedTokens = (): Promise<Set<string>> => {
    if (revoked === undefined) {
      const loading = loadRevokedTokens(database, now());
      revoked = loading;
      loading.catch(() => {
        if (revoked === loading) revoked = undefined;
      });
    }
    return revoked;
  };

  return {
    principalOf: async ({ sub, iat, jti }) => {
      if ((await revokedTokens()).has(jti)) throw refuse('revoked', 'the token was revoked');
      const holder = await holderOf(sub);
      if (holder === undefined) throw refuse('unknown', 'the holder of the token is not known');
      if (!holder.active) throw refuse('inactive', 'the holder of the token is deactivated');
      // `iat` counts whole seconds, so a token of the very second is let through
      const { tokensValidFrom: validFrom, graceUntil } = holder;
      const isInGrace = graceUntil !== undefined && graceUntil > now();
      if (validFrom !== undefined && !isInGrace && iat < Math.floor(validFrom.getTime() / 1000))
        throw refuse('revoked', 'the tokens of the holder were revoked');
      return holder.principal;
    },
    forget: () => holders.clear(),
    revoke: async (claims) => {
      await storeRevokedToken(database, claims, now());
      revoked = undefined;
    },
    close: () => reader.close(),
  };
};
