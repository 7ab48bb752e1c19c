import type { Database } from '@fds/database';
import { AppError } from '@fds/errors';
import type { IdentityDirectory } from '@fds/identity';
import type { FindAccount } from 'oidc-provider';

export interface PersonAccountsOptions {
  readonly database: Database;
  readonly directory: IdentityDirectory;
  readonly now: () => Date;
}

/**
 * People as the provider sees them: those whose access tokens would be let in. A deactivated person, and everything that was
 * given out before all their tokens were revoked, is unknown, so that no session and no refresh token outlives it.
 * A person of no zone may sign in, and learns at the doors that there is nothing to do.
 */
export const createPersonAccounts =
  ({ database: { prisma }, directory, now }: PersonAccountsOptions): FindAccount =>
  async (ctx, sub, token) => {
    const nowSeconds = Math.floor(now().getTime() / 1000);
    const iat = token?.iat ?? ctx.oidc.session?.loginTs ?? nowSeconds;
    try {
      await directory.principalOf({ iss: '', sub, client_id: '', iat, exp: nowSeconds, jti: '' });
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'UNAVAILABLE') throw error;
      if (error.code === 'UNAUTHENTICATED') return undefined;
    }
    return {
      accountId: sub,
      claims: async () => {
        const person = await prisma.person.findUnique({
          where: { uuid: sub },
          select: { username: true, name: true, email: true },
        });
        return {
          sub,
          ...(person === null ? {} : { preferred_username: person.username }),
          ...(person?.name === null || person?.name === undefined ? {} : { name: person.name }),
          ...(person?.email === null || person?.email === undefined ? {} : { email: person.email }),
        };
      },
    };
  };
