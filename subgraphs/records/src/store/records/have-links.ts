import { binaryArray, type SqlSession } from '@fds/database';

// in the order of an index, so that the plan of a small table is as good when the table has grown
const first = (table: string): string =>
  `SELECT FROM unnest($1::uuid[]) AS v(uuid) CROSS JOIN LATERAL (
     SELECT FROM ${table} WHERE domain_version_uuid = v.uuid ORDER BY domain_version_uuid, key_digest LIMIT 1
   ) AS link`;

/** Do adaptors link records of one of these versions, or is a link remembered that was removed? */
export const haveLinks = async (client: SqlSession, versionUuids: readonly string[]): Promise<boolean> => {
  const { rows } = await client.query<{ readonly linked: boolean }>({
    name: 'records-have-links',
    text: `SELECT EXISTS (${first('record_link')}) OR EXISTS (${first('removed_link')}) AS linked`,
    values: [binaryArray.uuid(versionUuids)],
  });
  return rows[0]?.linked !== false;
};
