import { binaryArray, type SqlSession } from '@fds/database';

/** Issues that hold back keys of adaptors as `<adaptor>:<version>:<digest>`: the first so many of each, as they were raised. */
export const loadOpenIssues = async (
  client: SqlSession,
  keys: readonly { readonly adaptorUuid: string; readonly domainVersionUuid: string; readonly keyDigest: string }[],
  limit: number,
): Promise<Map<string, string[]>> => {
  if (keys.length === 0) return new Map();
  const { rows } = await client.query<{ readonly held: string; readonly issues: string[] }>({
    name: 'records-load-open-issues',
    text: `SELECT w.adaptor_uuid || ':' || w.version_uuid || ':' || encode(w.digest, 'hex') AS held,
                  array_agg(i.uuid ORDER BY i.uuid) AS issues
           FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::uuid[], $3::bytea[])) AS w(adaptor_uuid, version_uuid, digest)
           CROSS JOIN LATERAL (
             SELECT o.uuid FROM data_issue o
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
    ],
  });
  return new Map(rows.map(({ held, issues }) => [held, issues]));
};
