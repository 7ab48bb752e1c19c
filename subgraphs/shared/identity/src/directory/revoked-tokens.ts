import { logChange, type Database } from '@fds/database';

/** Kept among the authorization server's artifacts under this model, until the token would have expired anyway. */
const model = 'RevokedToken';

/** Word for the change log: a revoked token is a deleted one. */
export const revokedTokenResourceType = 'Token';

/** A token, or all tokens of a sign-in. */
export interface Revocation {
  /** `jti` of the token, or `grant_id` of them all. */
  readonly id: string;
  /** Holder. */
  readonly sub: string | undefined;
  /** When the last of them will have expired. */
  readonly expiresAt: Date;
}

/** Remembers revoked self-contained tokens and notifies the other processes. Doing it twice does no harm. */
export const storeRevokedToken = async (
  { prisma }: Database,
  { id, sub, expiresAt }: Revocation,
  now: Date,
): Promise<void> => {
  const key = { model, id };
  await prisma.$transaction(async (tx) => {
    await tx.oidcArtifact.deleteMany({ where: { model, expiresAt: { lte: now } } });
    const { count } = await tx.oidcArtifact.createMany({
      data: [{ ...key, payload: sub === undefined ? {} : { sub }, expiresAt }],
      skipDuplicates: true,
    });
    if (count === 0) return;
    await logChange(tx, {
      action: 'DELETE',
      resourceType: revokedTokenResourceType,
      resource: `/token/${id}`,
      ...(sub === undefined ? {} : { actorUuid: sub }),
    });
  });
};

/** The ids (`jti`, `grant_id`) of all tokens revoked and not expired yet. */
export const loadRevokedTokens = async ({ prisma }: Database, now: Date): Promise<Set<string>> => {
  const rows = await prisma.oidcArtifact.findMany({
    where: { model, expiresAt: { gt: now } },
    select: { id: true },
  });
  return new Set(rows.map((row) => row.id));
};
