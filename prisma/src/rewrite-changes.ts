import type { PrismaTransaction } from './open-database.js';

export interface RewrittenChanges {
  readonly resourceTypes: readonly string[];
  /** Text that the data of an entry must contain. */
  readonly mentioning: string;
  /** Returns the new data of an entry. The same text leaves the entry unchanged. */
  readonly rewrite: (data: string) => string;
}

/**
 * Rewrites entries of the change log, in the transaction of the change that requires it. Positions stay unchanged, and
 * readers are not notified.
 */
export const rewriteChanges = async (
  tx: PrismaTransaction,
  { resourceTypes, mentioning, rewrite }: RewrittenChanges,
): Promise<void> => {
  const entries = await tx.changeLogEntry.findMany({
    where: { resourceType: { in: [...resourceTypes] }, data: { contains: mentioning } },
    select: { position: true, data: true },
  });
  for (const { position, data } of entries) {
    const rewritten = data === null ? null : rewrite(data);
    if (rewritten === data) continue;
    await tx.changeLogEntry.update({
      where: { position },
      data: { data: rewritten },
      select: { position: true },
    });
  }
};
