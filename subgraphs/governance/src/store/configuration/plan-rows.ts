import type { Queryable } from '@fds/database';

/** A plan that waits to be applied. */
export interface StoredPlan {
  readonly uuid: string;
  readonly actorUuid: string;
  readonly sealedDocuments: string;
  readonly prune: boolean;
  readonly fingerprint: string;
  readonly dateCreated: Date;
}

/** Stores a plan. Only the newest plans of a caller are kept, and no plan that is older than the limit. */
export const savePlan = async (
  client: Queryable,
  plan: StoredPlan,
  { keptPlans, notBefore }: { readonly keptPlans: number; readonly notBefore: Date },
): Promise<void> => {
  await client.query({
    name: 'governance-save-plan',
    text: `WITH old AS (
             DELETE FROM configuration_plan
             WHERE date_created < $7 OR uuid IN (
               SELECT uuid FROM configuration_plan WHERE actor_uuid = $2
               ORDER BY date_created DESC, uuid DESC OFFSET $8)
           )
           INSERT INTO configuration_plan (uuid, actor_uuid, sealed_documents, prune, fingerprint, date_created)
           VALUES ($1, $2, $3, $4, $5, $6)`,
    values: [
      plan.uuid,
      plan.actorUuid,
      plan.sealedDocuments,
      plan.prune,
      plan.fingerprint,
      plan.dateCreated,
      notBefore,
      keptPlans - 1,
    ],
  });
};

interface PlanRow {
  readonly sealed_documents: string;
  readonly prune: boolean;
  readonly fingerprint: string;
  readonly date_applied: Date | null;
}

/** A plan of the caller that is not too old, with a lock; undefined when it is absent. */
export const lockPlan = async (
  client: Queryable,
  { uuid, actorUuid, notBefore }: { readonly uuid: string; readonly actorUuid: string; readonly notBefore: Date },
): Promise<(Omit<StoredPlan, 'uuid' | 'actorUuid' | 'dateCreated'> & { readonly isApplied: boolean }) | undefined> => {
  const { rows } = await client.query<PlanRow>(
    `SELECT sealed_documents, prune, fingerprint, date_applied FROM configuration_plan
     WHERE uuid = $1 AND actor_uuid = $2 AND date_created >= $3 FOR UPDATE`,
    [uuid, actorUuid, notBefore],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { sealed_documents: sealedDocuments, prune, fingerprint, date_applied: dateApplied } = row;
  return { sealedDocuments, prune, fingerprint, isApplied: dateApplied !== null };
};

/** Its documents are of no further use. */
export const markApplied = async (client: Queryable, uuid: string, now: Date): Promise<void> => {
  await client.query(`UPDATE configuration_plan SET date_applied = $2, sealed_documents = '' WHERE uuid = $1`, [
    uuid,
    now,
  ]);
};

/** Waits until no other process applies configuration. The lock ends with the transaction. */
export const lockConfiguration = async (client: Queryable): Promise<void> => {
  await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('fds configuration', 0))`);
};
