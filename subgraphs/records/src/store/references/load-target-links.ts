import type { SqlSession } from '@fds/database';
import type { JsonObject } from '@fds/json';
import type { KeyedRecord } from '../../domain/records/find-visible.js';

/** The links of records with their keys, by record. A lookup needs them for a caller who may not see every adaptor. */
export const loadTargetLinks = async (
  client: SqlSession,
  recordUuids: readonly string[],
): Promise<ReadonlyMap<string, KeyedRecord['links']>> => {
  if (recordUuids.length === 0) return new Map();
  const { rows } = await client.query<{
    readonly record_uuid: string;
    readonly adaptor_uuid: string;
    readonly key_digest: string;
    readonly dr_key: JsonObject;
  }>({
    name: 'records-load-target-links',
    text: `SELECT record_uuid, adaptor_uuid, encode(key_digest, 'hex') AS key_digest, dr_key
           FROM record_link WHERE record_uuid = ANY ($1::uuid[]) ORDER BY record_uuid, adaptor_uuid`,
    values: [recordUuids],
  });
  const links = new Map<string, KeyedRecord['links'][number][]>();
  for (const { record_uuid: recordUuid, adaptor_uuid: adaptorUuid, key_digest: keyDigest, dr_key: drKey } of rows) {
    const known = links.get(recordUuid);
    if (known === undefined) links.set(recordUuid, [{ adaptorUuid, keyDigest, drKey }]);
    else known.push({ adaptorUuid, keyDigest, drKey });
  }
  return links;
};
