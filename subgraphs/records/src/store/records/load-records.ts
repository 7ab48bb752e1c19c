import { binaryArray, type SqlSession } from '@fds/database';
import { isJsonObject, type JsonObject, type JsonValue } from '@fds/json';
import type { NearKey } from '../../domain/events/near-keys-of.js';
import type { LinkState, RecordState } from '../../domain/records/record-book.js';
import type { RemovedLink } from '../../domain/records/removed-links.js';
import { decodeKnown, type StoredContent } from '../known-content/known-content-codec.js';

/** The records that a batch may touch: by key within a version, by uuid, and by tokens of keys that no record has. */
export interface WantedRecords {
  readonly keys: readonly { readonly domainVersionUuid: string; readonly keyDigest: string }[];
  readonly uuids: readonly string[];
  /** Keys of versions that do not match exactly. Default none. */
  readonly near?: readonly NearKey[];
}

/** If more records have a token, those that were made first are examined. */
const maxRecordsOfToken = 500;

interface RecordRow {
  readonly uuid: string;
  readonly domain_version_uuid: string;
  readonly key_digest: string;
  readonly dr_key: JsonObject;
  readonly json: JsonObject | null;
  readonly expected_content: Record<string, StoredContent> | null;
  readonly created_by_uuid: string | null;
  readonly change_version: number;
  readonly links: readonly JsonValue[] | null;
  /**
   * Set: the row is not a record, but the content that this adaptor was sent before it was told to delete the record.
   */
  readonly removed_from: string | null;
  readonly removed_content: StoredContent | null;
}

/** The stored state of the records that a batch may touch. */
export interface LoadedRecords {
  readonly records: readonly RecordState[];
  /** Removed links of the keys. */
  readonly removedLinks: readonly RemovedLink[];
}

/**
 * Looks up the rows of each key or uuid by the index. PostgreSQL would plan a join while the table is small, and keep this plan
 * while the table grows: each batch would then scan the whole table.
 *
 * @param conditions on columns that have an index
 */
const byIndex = (table: string, conditions: string): string =>
  `LATERAL (SELECT * FROM ${table} WHERE ${conditions} OFFSET 0)`;

const hasKey = 'domain_version_uuid = w.version_uuid AND key_digest = w.digest';

// the nested loop keeps the order of the uuids: rows are locked in this order
const select = `, found AS (
  SELECT r.uuid, r.domain_version_uuid, encode(r.key_digest, 'hex') AS key_digest, r.dr_key, r.json,
         r.expected_content, r.created_by_uuid, r.change_version,
         (SELECT jsonb_agg(jsonb_build_array(l.adaptor_uuid, encode(l.key_digest, 'hex'), l.dr_key, l.known_content))
          FROM record_link l WHERE l.record_uuid = r.uuid) AS links
  FROM (SELECT uuid FROM hit ORDER BY uuid OFFSET 0) h
    CROSS JOIN LATERAL (SELECT * FROM data_record WHERE uuid = h.uuid OFFSET 0 FOR NO KEY UPDATE) r)
  SELECT found.*, NULL::uuid AS removed_from, NULL::jsonb AS removed_content FROM found
  UNION ALL
  SELECT l.record_uuid, l.domain_version_uuid, encode(l.key_digest, 'hex'), NULL, NULL, NULL, NULL, NULL, NULL,
         l.adaptor_uuid, l.known_content
  FROM wanted w CROSS JOIN ${byIndex('removed_link', hasKey)} l`;

/** The records that have a wanted key, and the records with a link that has a wanted key. */
const holders = (columns: string): string => `
    SELECT ${columns}r.uuid FROM wanted w CROSS JOIN ${byIndex('data_record', hasKey)} r
    UNION
    SELECT ${columns}l.record_uuid FROM wanted w CROSS JOIN ${byIndex('record_link', hasKey)} l`;

const statement = `
  WITH wanted AS (
    SELECT version_uuid, digest FROM unnest($1::uuid[], $2::bytea[]) AS w(version_uuid, digest)
  ), hit AS (${holders('')}
    UNION
    SELECT unnest($3::uuid[])
  )${select}`;

const nearStatement = `
  WITH wanted AS (
    SELECT version_uuid, digest FROM unnest($1::uuid[], $2::bytea[]) AS w(version_uuid, digest)
  ), exact AS MATERIALIZED (${holders('w.*, ')}
  ), asked AS MATERIALIZED (
    SELECT DISTINCT a.version_uuid, a.token
    FROM unnest($4::uuid[], $5::bytea[], $6::bigint[]) AS a(version_uuid, digest, token)
    WHERE NOT EXISTS (SELECT FROM exact e WHERE e.version_uuid = a.version_uuid AND e.digest = a.digest)
  ), hit AS (
    SELECT uuid FROM exact
    UNION
    SELECT near.record_uuid FROM asked a CROSS JOIN LATERAL (
      SELECT t.record_uuid FROM match_token t WHERE t.domain_version_uuid = a.version_uuid AND t.token = a.token
      ORDER BY t.record_uuid LIMIT ${maxRecordsOfToken}
    ) near
    UNION
    SELECT unnest($3::uuid[])
  )${select}`;

const toLink = (row: JsonValue): [string, LinkState] => {
  const [adaptorUuid, keyDigest, drKey, known] = row as [string, string, JsonObject, StoredContent];
  return [adaptorUuid, { adaptorUuid, keyDigest, drKey, known: decodeKnown(known) }];
};

const toRecord = (row: RecordRow): RecordState => ({
  uuid: row.uuid,
  domainVersionUuid: row.domain_version_uuid,
  keyDigest: row.key_digest,
  drKey: row.dr_key,
  json: isJsonObject(row.json) ? row.json : null,
  createdByUuid: row.created_by_uuid,
  changeVersion: row.change_version,
  links: new Map((row.links ?? []).map(toLink)),
  expected: new Map(Object.entries(row.expected_content ?? {}).map(([uuid, known]) => [uuid, decodeKnown(known)])),
});

const toLoaded = (rows: readonly RecordRow[]): LoadedRecords => ({
  records: rows.filter((row) => row.removed_from === null).map(toRecord),
  removedLinks: rows.flatMap((row) =>
    row.removed_from === null || row.removed_content === null
      ? []
      : {
          recordUuid: row.uuid,
          adaptorUuid: row.removed_from,
          domainVersionUuid: row.domain_version_uuid,
          keyDigest: row.key_digest,
          known: decodeKnown(row.removed_content),
        },
  ),
});

/** Reads and locks the records with their links, and the remains of removed links: one statement for all. */
export const loadRecords = async (
  client: SqlSession,
  { keys, uuids, near = [] }: WantedRecords,
): Promise<LoadedRecords> => {
  if (keys.length === 0 && uuids.length === 0 && near.length === 0) return { records: [], removedLinks: [] };
  const values = [
    binaryArray.uuid(keys.map((key) => key.domainVersionUuid)),
    binaryArray.bytea(keys.map((key) => key.keyDigest)),
    binaryArray.uuid(uuids),
  ];
  if (near.length === 0) {
    const { rows } = await client.query<RecordRow>({ name: 'records-load-records', text: statement, values });
    return toLoaded(rows);
  }
  const asked = near.flatMap((key) => key.tokens.map((token) => ({ key, token })));
  const { rows } = await client.query<RecordRow>({
    // no name: it is planned for each use, because the best index for tokens depends on the size of their table
    text: nearStatement,
    values: [
      ...values,
      binaryArray.uuid(asked.map(({ key }) => key.domainVersionUuid)),
      binaryArray.bytea(asked.map(({ key }) => key.keyDigest)),
      binaryArray.int8(asked.map(({ token }) => token)),
    ],
  });
  return toLoaded(rows);
};
