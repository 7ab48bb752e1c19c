import { digestOf, redactionType } from './change-log-line.js';
import { logChangeList } from './change-log.js';
import type { PrismaTransaction } from './open-database.js';

export interface RewrittenChanges {
  readonly resourceTypes: readonly string[];
  /** Text that the data of an entry must contain. */
  readonly mentioning: string;
  /** Returns the new data of an entry. The same text leaves the entry unchanged. */
  readonly rewrite: (data: string) => string;
  /** A word for the cause, which the log shows. */
  readonly reason: string;
}

/** Rewritten entries that one entry of the log names. */
const entriesPerRedaction = 500;

/**
 * Rewrites entries of the change log, in the transaction of the change that requires it. Positions stay unchanged, and
 * readers are not notified. An entry of the type `ChangeLogRedaction` names the rewritten ones with their digests before
 * and after, so that the proof of the log can tell them from entries that another program has changed.
 */
export const rewriteChanges = async (
  tx: PrismaTransaction,
  { resourceTypes, mentioning, rewrite, reason }: RewrittenChanges,
): Promise<void> => {
  const entries = await tx.changeLogEntry.findMany({
    where: { resourceType: { in: [...resourceTypes] }, data: { contains: mentioning } },
    orderBy: { position: 'asc' },
    select: { position: true, data: true },
  });
  const rewritten = entries.flatMap(({ position, data }) => {
    const next = data === null ? null : rewrite(data);
    return next === data ? [] : [{ position, data: next }];
  });
  if (rewritten.length === 0) return;
  const loadDigests = async (): Promise<ReadonlyMap<bigint, string>> => {
    const rows = await tx.$queryRawUnsafe<{ readonly position: bigint; readonly digest: string }[]>(
      `SELECT c.position, encode(${digestOf('c')}, 'hex') AS digest FROM change_log c WHERE c.position = ANY ($1::bigint[])`,
      rewritten.map(({ position }) => position),
    );
    return new Map(rows.map(({ position, digest }) => [position, digest]));
  };
  const before = await loadDigests();
  for (const { position, data } of rewritten) {
    await tx.changeLogEntry.update({ where: { position }, data: { data }, select: { position: true } });
  }
  const after = await loadDigests();
  const told = rewritten.map(({ position }) => ({
    position,
    before: before.get(position) ?? '',
    after: after.get(position) ?? '',
  }));
  const parts = Array.from({ length: Math.ceil(told.length / entriesPerRedaction) }, (_, part) =>
    told.slice(part * entriesPerRedaction, (part + 1) * entriesPerRedaction),
  );
  await logChangeList(
    tx,
    parts.map((part) => ({
      action: 'PATCH',
      resourceType: redactionType,
      resource: '/change-log',
      data: { reason, entries: part },
    })),
  );
};
