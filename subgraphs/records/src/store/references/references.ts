import type { SqlSession } from '@fds/database';
import type { JsonObject } from '@fds/json';
import type { LoadedTarget, ReferenceChanges, StoredReferences } from '../../domain/references/reference-book.js';

/** Targets of references: records by uuid, and by the digest of a key within a version. */
export interface WantedTargets {
  readonly uuids: readonly string[];
  readonly keys: readonly { readonly domainVersionUuid: string; readonly keyDigest: string }[];
}

interface TargetRow {
  readonly uuid: string;
  readonly domain_version_uuid: string;
  readonly key_digest: string;
  readonly dr_key: JsonObject;
}

/** Reads the targets of references, one statement for all. A record's own key goes before that of a link. */
export const loadTargets = async (client: SqlSession, { uuids, keys }: WantedTargets): Promise<LoadedTarget[]> => {
  if (uuids.length === 0 && keys.length === 0) return [];
  const { rows } = await client.query<TargetRow>({
    name: 'records-load-targets',
    text: `WITH wanted AS (
             SELECT version_uuid, decode(digest, 'hex') AS digest
             FROM unnest($1::uuid[], $2::text[]) AS w(version_uuid, digest)
           ), hit AS (
             -- by the indexes, as in the lookup of records
             SELECT l.record_uuid AS uuid, l.key_digest, 0 AS rank FROM wanted w CROSS JOIN LATERAL (
               SELECT * FROM record_link WHERE domain_version_uuid = w.version_uuid AND key_digest = w.digest OFFSET 0
             ) l
             UNION
             SELECT r.uuid, r.key_digest, 1 FROM wanted w CROSS JOIN LATERAL (
               SELECT * FROM data_record WHERE domain_version_uuid = w.version_uuid AND key_digest = w.digest OFFSET 0
             ) r
             UNION
             SELECT r.uuid, r.key_digest, 1 FROM data_record r WHERE r.uuid = ANY ($3::uuid[])
           )
           SELECT r.uuid, r.domain_version_uuid, encode(hit.key_digest, 'hex') AS key_digest, r.dr_key
           FROM hit CROSS JOIN LATERAL (SELECT * FROM data_record WHERE uuid = hit.uuid OFFSET 0) r ORDER BY hit.rank`,
    values: [keys.map((key) => key.domainVersionUuid), keys.map((key) => key.keyDigest), uuids],
  });
  return rows.map((row) => ({
    uuid: row.uuid,
    domainVersionUuid: row.domain_version_uuid,
    keyDigest: row.key_digest,
    drKey: row.dr_key,
  }));
};

/** More referrers than this are not counted. */
const maxCounted = 1000;

/**
 * References to records that may be deleted: how many from outside the batch, and which from inside the batch.
 *
 * @param batchUuids every record that the batch holds
 */
export const loadReferrers = async (
  client: SqlSession,
  targetUuids: readonly string[],
  batchUuids: readonly string[],
): Promise<Omit<StoredReferences, 'targets' | 'parts'>> => {
  if (targetUuids.length === 0) return { outsideReferrers: new Map(), insideReferences: [] };
  const { rows } = await client.query<{
    readonly target_uuid: string;
    readonly outside: number;
    readonly inside: string[] | null;
  }>({
    // no name: it is planned for each use, because its best index depends on the size of the table
    text: `SELECT t.uuid AS target_uuid,
                  (SELECT count(*)::int FROM (
                     SELECT DISTINCT r.record_uuid FROM record_reference r
                     WHERE r.target_uuid = t.uuid AND NOT r.record_uuid = ANY ($2::uuid[]) LIMIT ${maxCounted}
                   ) AS other) AS outside,
                  (SELECT array_agg(DISTINCT r.record_uuid::text) FROM record_reference r
                   WHERE r.target_uuid = t.uuid AND r.record_uuid = ANY ($2::uuid[])) AS inside
           FROM unnest($1::uuid[]) AS t(uuid)`,
    values: [targetUuids, batchUuids],
  });
  return {
    outsideReferrers: new Map(rows.map((row) => [row.target_uuid, row.outside])),
    insideReferences: rows.flatMap(({ target_uuid: targetUuid, inside }) =>
      (inside ?? []).map((recordUuid) => ({ recordUuid, targetUuid })),
    ),
  };
};

/**
 * Replaces the references of records, at most two statements. Comes after the records themselves.
 *
 * @returns how many references of before are gone or were replaced
 * @throws at the end of the transaction, foreign key violation (SQLSTATE 23503) when another transaction deleted a
 *   target in the meantime: repeat the batch
 */
export const saveReferences = async (
  client: SqlSession,
  { recordUuids, references }: ReferenceChanges,
  isStored: (recordUuid: string) => boolean,
): Promise<number> => {
  const stored = recordUuids.filter(isStored);
  const forgetting =
    stored.length === 0
      ? undefined
      : client.query({
          name: 'records-forget-references',
          text: 'DELETE FROM record_reference WHERE record_uuid = ANY ($1::uuid[])',
          values: [stored],
        });
  const saving =
    references.length === 0
      ? undefined
      : client.query({
          name: 'records-save-references',
          text: `INSERT INTO record_reference (record_uuid, pointer, target_uuid)
                 SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[])`,
          values: [
            references.map((reference) => reference.recordUuid),
            references.map((reference) => reference.pointer),
            references.map((reference) => reference.targetUuid),
          ],
        });
  // both are sent at once, in this order
  const [forgotten] = await Promise.all([forgetting, saving]);
  return forgotten?.rowCount ?? 0;
};
