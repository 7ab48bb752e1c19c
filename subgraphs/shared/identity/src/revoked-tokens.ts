import type { TokenClaims } from '@fds/auth';
import { logChange, type Database } from '@fds/database';

/** Kept among the authorization server's artifacts under this model, until the token would have expired anyway. */
const model = 'RevokedToken';

/** Word for the change log: a revoked token is a deleted one. */
export const revokedTokenResourceType = 'Token';

/** Remembers a self-contained token as revoked and tells the other processes. Doing it twice does no harm. */
export const storeRevokedToken = async (
  { prisma }: Database,
  { jti, sub, exp }: TokenClaims,
  now: Date,
): Promise<void> => {
  const key = { model, id: jti };
  await prisma.$transaction(async (tx) => {
    await tx.oidcArtifact.deleteMany({ where: { model, expiresAt: { lte: now } } });
    const { count } = await tx.oidcArtifact.createMany({
      data: [{ ...key, payload: { sub }, expiresAt: new Date(exp * 1000) }],
      skipDuplicates: true,
    });
    if (count === 0) return;
    await logChange(tx, {
      action: 'DELETE',
      resourceType: revokedTokenResourceType,
      resource: `/token/${jti}`,
      actorUuid: sub,
    });
  });
};

/** The ids (`jti`) of all tokens revoked and not expired yet. */
export const loadRevokedTokens = async ({ prisma }: Database, now: Date): Promise<Set<string>> => {
  const rows = await prisma.oidcArtifact.findMany({
    where: { model, expiresAt: { gt: now } },
    select: { id: true },
  });
  return new Set(rows.map((row) => row.id));
};
