import type { Database } from '@fds/database';
import { AppError } from '@fds/errors';
import { loadPersonProfile, type IdentityDirectory } from '@fds/identity';
import type { FindAccount, KoaContextWithOIDC } from 'oidc-provider';
import { epochOfGrant } from './grant-id.js';

export interface PersonAccountsOptions {
  readonly database: Database;
  readonly directory: IdentityDirectory;
  readonly now: () => Date;
}

/** Member of the result of a sign-in: the epoch of the password that the person entered. */
export const tokenEpochResult = 'token_epoch';

/** The epoch of the current sign-in; undefined when the person did not enter a password in it. */
export const epochOfSignIn = ({ oidc }: KoaContextWithOIDC): number | undefined => {
  const epoch: unknown = oidc.result?.[tokenEpochResult];
  return typeof epoch === 'number' ? epoch : undefined;
};

/** The epoch of a browser's session: that of the sign-in in progress, otherwise that of the session's grants. */
const epochOfSession = (ctx: KoaContextWithOIDC): number | undefined => {
  const epoch = epochOfSignIn(ctx);
  if (epoch !== undefined) return epoch;
  const grants = Object.values(ctx.oidc.session?.authorizations ?? {}).map(({ grantId }) => grantId);
  const [first] = grants.flatMap((grantId) => (grantId === undefined ? [] : [epochOfGrant(grantId)]));
  return first;
};

/**
 * People in the form of the provider: those whose access tokens the doors would accept. A deactivated person is
 * unknown, and so is every session, code and refresh token of an earlier password. A person without a zone may sign in,
 * but the doors refuse their requests.
 */
export const createPersonAccounts =
  ({ database, directory, now }: PersonAccountsOptions): FindAccount =>
  async (ctx, sub, token) => {
    const nowSeconds = Math.floor(now().getTime() / 1000);
    const grantId = token !== undefined && 'grantId' in token ? token.grantId : undefined;
    const epoch = typeof grantId === 'string' ? epochOfGrant(grantId) : epochOfSession(ctx);
    if (epoch === undefined) return undefined;
    const claims = { iss: '', sub, client_id: '', iat: nowSeconds, exp: nowSeconds, jti: '', token_epoch: epoch };
    try {
      await directory.principalOf(claims);
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'UNAVAILABLE') throw error;
      if (error.code === 'UNAUTHENTICATED') return undefined;
    }
    return {
      accountId: sub,
      claims: async () => {
        const person = await loadPersonProfile(database, sub);
        return {
          sub,
          ...(person === null ? {} : { preferred_username: person.username }),
          ...(person?.name === null || person?.name === undefined ? {} : { name: person.name }),
          ...(person?.email === null || person?.email === undefined ? {} : { email: person.email }),
        };
      },
    };
  };
