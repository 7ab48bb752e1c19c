import type { Queryable } from '@fds/database';

/** How an adaptor compared with the others at its last whole reconciliation of a version. */
export interface AdaptorVerification {
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
  readonly date: Date;
  readonly equal: bigint;
  readonly differing: bigint;
  readonly missingHere: bigint;
  readonly missingThere: bigint;
}

/** The last reconciliation of each version that ended well and compared all records and properties. */
export const loadVerifications = async (
  session: Queryable,
  adaptorUuids: readonly string[],
): Promise<ReadonlyMap<string, readonly AdaptorVerification[]>> => {
  const { rows } = await session.query<AdaptorVerification>({
    name: 'catalog-load-verifications',
    text: `SELECT DISTINCT ON (adaptor_uuid, domain_version_uuid) adaptor_uuid AS "adaptorUuid",
             domain_version_uuid AS "domainVersionUuid", date_finished AS date, equal, differing,
             lacked_here AS "missingHere", lacked_there AS "missingThere"
           FROM reconciliation
           WHERE adaptor_uuid = ANY ($1::uuid[]) AND status = 'DONE' AND properties IS NULL AND query IS NULL
           ORDER BY adaptor_uuid, domain_version_uuid, uuid DESC`,
    values: [adaptorUuids],
  });
  const found = new Map<string, AdaptorVerification[]>();
  for (const row of rows) found.set(row.adaptorUuid, [...(found.get(row.adaptorUuid) ?? []), row]);
  return found;
};
