import { binaryArray, type SqlSession } from '@fds/database';
import type { MalformedDeletion } from '../../domain/issues/malformed-keys.js';
import { queueOf, type QueueKey } from '../../domain/issues/parked-queues.js';

/** Issues of one key that a deletion closes at most: the oldest. */
const maxIssues = 1000;

const issuesOfKey = `FROM data_issue o
             WHERE o.adaptor_uuid = w.adaptor_uuid AND o.row_digest = w.digest
               AND o.domain_version_uuid = w.version_uuid AND o.exception = 'PARSING'`;

/**
 * By place, the open issues of DR Keys that are not valid and that deletions name. A key whose issues are all closed has none; a
 * key that was never reported is left out.
 */
export const loadMalformedKeys = async (
  client: SqlSession,
  deletions: readonly MalformedDeletion[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  if (deletions.length === 0) return new Map();
  const { rows } = await client.query<QueueKey & { readonly open: readonly string[] }>({
    name: 'records-load-malformed-keys',
    text: `SELECT w.adaptor_uuid AS "adaptorUuid", w.version_uuid AS "domainVersionUuid", encode(w.digest, 'hex') AS "keyDigest",
                  ARRAY(SELECT o.uuid ${issuesOfKey} AND o.status = 'OPEN' ORDER BY o.uuid LIMIT ${maxIssues}) AS open
           FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::uuid[], $3::bytea[])) AS w(adaptor_uuid, version_uuid, digest)
           -- by the index: a join could be planned while the table is small
           CROSS JOIN LATERAL (SELECT ${issuesOfKey} LIMIT 1) known`,
    values: [
      binaryArray.uuid(deletions.map(({ place }) => place.adaptorUuid)),
      binaryArray.uuid(deletions.map(({ place }) => place.domainVersionUuid)),
      binaryArray.bytea(deletions.map(({ place }) => place.keyDigest)),
    ],
  });
  return new Map(rows.map(({ open, ...place }) => [queueOf(place), open]));
};
