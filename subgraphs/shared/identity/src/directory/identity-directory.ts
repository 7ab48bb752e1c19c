import type { Principal, TokenClaims } from '@fds/auth';
import { openChangeLogReader, type Database, type LoggedChange } from '@fds/database';
import { AppError } from '@fds/errors';
import type { Closable, Log } from '@fds/service';
import { createLoadCache } from './load-cache.js';
import { loadHolder, type Holder } from '../holdings/load-holder.js';
import { loadRevokedTokens, revokedTokenResourceType, storeRevokedToken } from './revoked-tokens.js';

/** Uuid of the person with this id at the external identity provider; undefined when no person has it. */
const findPersonBySsoId = async ({ prisma }: Database, ssoId: string): Promise<string | undefined> =>
  (await prisma.person.findUnique({ where: { ssoId }, select: { uuid: true } }))?.uuid;

/** The secret of a person, for a comparison. */
interface SecretHash {
  readonly hash: string;
  readonly memberships: readonly { readonly uuid: string; readonly zoneUuid: string }[];
}

/** Knows who a verified token belongs to, without asking the database again until something changes. */
export interface IdentityDirectory extends Closable {
  /**
   * The holder of the token, with the holder's present permissions.
   *
   * @throws AppError UNAUTHENTICATED with `details.reason`: `unknown` (no such person or adaptor), `inactive`, or
   * `revoked` (the token itself, its sign-in, or every token of an earlier password or secret). FORBIDDEN: signed in,
   * but a user of no zone
   */
  principalOf(claims: TokenClaims): Promise<Principal>;
  /** A holder by uuid, with present permissions; undefined for an unknown or deactivated one. */
  findPrincipal(uuid: string): Promise<Principal | undefined>;
  /** Like `findPrincipal`, from the tables: in joined work also what is not committed. */
  readPrincipal(uuid: string): Promise<Principal | undefined>;
  /** The hash of a person's secret, and the person's memberships; undefined for a person without a secret. */
  readSecretHash(uuid: string): Promise<SecretHash | undefined>;
  /**
   * Forgets who may do what. For writers in this process, after their commit: the next question is answered from the tables.
   * The other processes read it from the change log within milliseconds.
   */
  forget(): void;
  /** Forgets all that the changes are about. For other readers of the change log, which must not be ahead of this one. */
  heed(changes: readonly LoggedChange[]): void;
  /**
   * Revokes one token (RFC 7009): refused here from now on, by the other processes as soon as they receive the notification
   * of the commit, at the latest when they read the change log. Revoking twice does no harm.
   */
  revoke(claims: TokenClaims): Promise<void>;
  /**
   * Revokes every access token of a sign-in.
   *
   * @param expiresAt when the last of them will have expired
   */
  revokeGrant(grantId: string, expiresAt: Date): Promise<void>;
}

export interface IdentityDirectoryOptions {
  readonly database: Database;
  readonly log: Log;
  readonly now: () => Date;
  /** Holders remembered at most. Default 10 000. */
  readonly maxRemembered?: number;
}

/** Types of resources that a person or adaptor depends on, as the holder of a token. */
const holderTypes: readonly string[] = ['Zone', 'User', 'Group', 'Role', 'Permission', 'Adaptor'];
const relevantTypes = [...holderTypes, revokedTokenResourceType];

const refuse = (reason: 'unknown' | 'inactive' | 'revoked', detail: string): AppError<'UNAUTHENTICATED'> =>
  new AppError('UNAUTHENTICATED', detail, { details: { reason } });

const noZone = (username: string): AppError<'FORBIDDEN'> =>
  new AppError(
    'FORBIDDEN',
    `you are signed in as ${username}, but are a user of no zone: ask an administrator of a zone`,
    {
      details: { reason: 'no-zone' },
    },
  );

/**
 * Did a new password or secret end the token? Our tokens name the epoch of the secret by which they were obtained. Tokens of an
 * external issuer name only the second in which they were issued.
 */
const isEnded = ({ iat, ssoId, token_epoch: epoch = 0 }: TokenClaims, holder: Holder): boolean => {
  if (ssoId === undefined) return epoch !== holder.tokenEpoch;
  const { tokensValidFrom } = holder;
  return tokensValidFrom !== undefined && iat < Math.floor(tokensValidFrom.getTime() / 1000);
};

/** Opens the directory on the tables of persons, roles, permissions and adaptors; follows the change log until closed. */
export const openIdentityDirectory = async ({
  database,
  log,
  now,
  maxRemembered = 10_000,
}: IdentityDirectoryOptions): Promise<IdentityDirectory> => {
  const holders = createLoadCache(maxRemembered, (uuid) => loadHolder(database, uuid));
  const personUuids = createLoadCache(maxRemembered, (ssoId) => findPersonBySsoId(database, ssoId));
  let revoked: Promise<Set<string>> | undefined;

  const forgetPersons = (): void => {
    holders.forgetAll();
    personUuids.forgetAll();
  };
  const forget = (changes: readonly LoggedChange[]): void => {
    for (const { resourceType, resourceUuid } of changes) {
      if (resourceType === revokedTokenResourceType) revoked = undefined;
      else if (resourceType === 'Adaptor' && resourceUuid !== undefined) holders.forget(resourceUuid);
      else if (holderTypes.includes(resourceType)) forgetPersons();
    }
  };
  // from now on the reader sees every change to the remembered values
  const reader = await openChangeLogReader({
    database,
    name: 'identity',
    from: 'now',
    resourceTypes: relevantTypes,
    onChanges: forget,
    // a page waits for open transactions, to keep its order; forgetting needs no order
    onCommitted: (changedType) => {
      if (changedType === revokedTokenResourceType) revoked = undefined;
      else if (holderTypes.includes(changedType)) holders.forgetAll();
    },
    log,
  });

  /** The person that the external issuer names. */
  const personOf = async (ssoId: string): Promise<string> => {
    const uuid = await personUuids.get(ssoId);
    if (uuid === undefined) throw noZone(ssoId);
    return uuid;
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
    principalOf: async (claims) => {
      const { sub, jti, grant_id: grantId, ssoId } = claims;
      const ended = await revokedTokens();
      if (ended.has(jti) || (grantId !== undefined && ended.has(grantId)))
        throw refuse('revoked', 'the token was revoked');
      const holder = await holders.get(ssoId === undefined ? sub : await personOf(ssoId));
      if (holder === undefined) throw refuse('unknown', 'the holder of the token is not known');
      if (!holder.active) throw refuse('inactive', 'the holder of the token is deactivated');
      if (isEnded(claims, holder)) throw refuse('revoked', 'the tokens of the holder were revoked');
      const principal = ssoId === undefined ? holder.principal : holder.principalAtProvider;
      if (principal.kind === 'PERSON' && principal.zones.length === 0) throw noZone(principal.username);
      return principal;
    },
    findPrincipal: async (uuid) => {
      const holder = await holders.get(uuid);
      return holder?.active === true ? holder.principal : undefined;
    },
    readPrincipal: async (uuid) => {
      const holder = await loadHolder(database, uuid);
      return holder?.active === true ? holder.principal : undefined;
    },
    readSecretHash: async (uuid) => {
      const person = await database.prisma.person.findUnique({
        where: { uuid },
        select: { secretHash: true, memberships: { select: { uuid: true, zoneUuid: true } } },
      });
      return person === null || person.secretHash === null
        ? undefined
        : { hash: person.secretHash, memberships: person.memberships };
    },
    forget: forgetPersons,
    heed: forget,
    revoke: async ({ jti, sub, exp }) => {
      await storeRevokedToken(database, { id: jti, sub, expiresAt: new Date(exp * 1000) }, now());
      revoked = undefined;
    },
    revokeGrant: async (grantId, expiresAt) => {
      await storeRevokedToken(database, { id: grantId, sub: undefined, expiresAt }, now());
      revoked = undefined;
    },
    close: () => reader.close(),
  };
};
