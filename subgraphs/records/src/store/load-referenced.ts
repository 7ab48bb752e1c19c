import { isJsonObject, parseJson, type JsonObject } from '@fds/json';
import type { FindReferenced, ReferencedRecord, VersionTarget } from '../domain/references/expand-records.js';
import type { Queryable } from './channel.js';

interface ReferencedRow {
  readonly uuid: string;
  readonly domain_version_uuid: string;
  readonly key_digest: string;
  readonly dr_key: JsonObject;
  readonly json: string | null;
}

const keyOf = (domainVersionUuid: string, keyDigest: string): string => `${domainVersionUuid}:${keyDigest}`;

const toRecord = (row: ReferencedRow): ReferencedRecord => {
  const json = row.json === null ? null : parseJson(row.json);
  return {
    uuid: row.uuid,
    domainVersionUuid: row.domain_version_uuid,
    drKey: row.dr_key,
    json: isJsonObject(json) ? json : null,
  };
};

const nothing: FindReferenced = () => undefined;

/** Reads the records that references point at with their data, one statement for all. */
export const loadReferenced = async (client: Queryable, wanted: readonly VersionTarget[]): Promise<FindReferenced> => {
  if (wanted.length === 0) return nothing;
  const uuids = new Set<string>();
  const keys = new Map<string, { readonly domainVersionUuid: string; readonly keyDigest: string }>();
  for (const { domainVersionUuid, target } of wanted) {
    if (target.kind === 'UUID') uuids.add(target.uuid);
    else keys.set(keyOf(domainVersionUuid, target.keyDigest), { domainVersionUuid, keyDigest: target.keyDigest });
  }
  const { rows } = await client.query<ReferencedRow>({
    name: 'records-load-referenced',
    text: `WITH wanted AS (
             SELECT version_uuid, decode(digest, 'hex') AS digest
             FROM unnest($1::uuid[], $2::text[]) AS w(version_uuid, digest)
           ), hit AS (
             SELECT l.record_uuid AS uuid, l.key_digest, 0 AS rank FROM wanted w
               JOIN record_link l ON l.domain_version_uuid = w.version_uuid AND l.key_digest = w.digest
             UNION
             SELECT r.uuid, r.key_digest, 1 FROM wanted w
               JOIN data_record r ON r.domain_version_uuid = w.version_uuid AND r.key_digest = w.digest
             UNION
             SELECT r.uuid, r.key_digest, 1 FROM data_record r WHERE r.uuid = ANY ($3::uuid[])
           )
           SELECT r.uuid, r.domain_version_uuid, encode(hit.key_digest, 'hex') AS key_digest, r.dr_key,
                  r.json::text AS json
           FROM hit JOIN data_record r ON r.uuid = hit.uuid ORDER BY hit.rank`,
    values: [
      [...keys.values()].map((key) => key.domainVersionUuid),
      [...keys.values()].map((key) => key.keyDigest),
      [...uuids],
    ],
  });
  const byUuid = new Map<string, ReferencedRecord>();
  const byKey = new Map<string, ReferencedRecord>();
  for (const row of rows) {
    const record = byUuid.get(row.uuid) ?? toRecord(row);
    byUuid.set(row.uuid, record);
    byKey.set(keyOf(row.domain_version_uuid, row.key_digest), record);
  }
  return ({ domainVersionUuid, target }) => {
    const found =
      target.kind === 'UUID' ? byUuid.get(target.uuid) : byKey.get(keyOf(domainVersionUuid, target.keyDigest));
    return found?.domainVersionUuid === domainVersionUuid ? found : undefined;
  };
};
