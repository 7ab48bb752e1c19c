import { binaryArray, type SqlSession } from '@fds/database';
import type { OpenQueues } from '../domain/parked-queues.js';

interface ParkedRow {
  readonly parked: string;
  readonly issues: string[];
  readonly unreadable: readonly string[] | null;
}

/**
 * Issues that block keys of adaptors as `<adaptor>:<version>:<digest>`: the first so many of each, in the order in
 * which they were raised.
 *
 * @param linked records that adaptors name by uuid alone: their events wait under the key of the adaptor's link, or of the
 *   record if the adaptor has no link (`queueDigestOf`)
 */
export const loadOpenIssues = async (
  client: SqlSession,
  keys: readonly { readonly adaptorUuid: string; readonly domainVersionUuid: string; readonly keyDigest: string }[],
  linked: readonly { readonly adaptorUuid: string; readonly recordUuid: string }[],
  limit: number,
): Promise<OpenQueues> => {
  if (keys.length === 0 && linked.length === 0) return { issues: new Map(), unreadable: new Set(), cut: new Set() };
  const { rows } = await client.query<ParkedRow>({
    name: 'records-load-open-issues',
    text: `SELECT w.adaptor_uuid || ':' || w.version_uuid || ':' || encode(w.digest, 'hex') AS parked,
                  array_agg(i.uuid ORDER BY i.uuid) AS issues,
                  array_agg(i.uuid) FILTER (WHERE i.cause = 'UNREADABLE') AS unreadable
           FROM (SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bytea[])
                 UNION
                 SELECT n.adaptor_uuid, r.domain_version_uuid, coalesce(l.key_digest, r.key_digest)
                 FROM unnest($5::uuid[], $6::uuid[]) AS n(adaptor_uuid, record_uuid)
                 -- by the indexes, as in the lookup of records
                 CROSS JOIN LATERAL (SELECT * FROM data_record WHERE uuid = n.record_uuid OFFSET 0) r
                 LEFT JOIN LATERAL (
                   SELECT * FROM record_link WHERE record_uuid = n.record_uuid AND adaptor_uuid = n.adaptor_uuid OFFSET 0
                 ) l ON true
                ) AS w(adaptor_uuid, version_uuid, digest)
           CROSS JOIN LATERAL (
             SELECT o.uuid, o.cause FROM data_issue o
             WHERE o.adaptor_uuid = w.adaptor_uuid AND o.domain_version_uuid = w.version_uuid
               AND o.key_digest = w.digest AND o.status = 'OPEN'
             ORDER BY o.uuid LIMIT $4
           ) i
           GROUP BY 1`,
    values: [
      binaryArray.uuid(keys.map((key) => key.adaptorUuid)),
      binaryArray.uuid(keys.map((key) => key.domainVersionUuid)),
      binaryArray.bytea(keys.map((key) => key.keyDigest)),
      limit,
      binaryArray.uuid(linked.map(({ adaptorUuid }) => adaptorUuid)),
      binaryArray.uuid(linked.map(({ recordUuid }) => recordUuid)),
    ],
  });
  return {
    issues: new Map(rows.map(({ parked, issues }) => [parked, issues])),
    unreadable: new Set(rows.flatMap(({ unreadable }) => unreadable ?? [])),
    cut: new Set(rows.flatMap(({ parked, issues }) => (issues.length < limit ? [] : parked))),
  };
};
