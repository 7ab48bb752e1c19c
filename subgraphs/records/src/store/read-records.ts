import type { Queryable } from './channel.js';

/** An adaptor that links a record. */
export interface LinkingAdaptor {
  readonly uuid: string;
  readonly name: string;
  /** When it was linked. */
  readonly dateCreated: Date;
}

/** The adaptors of several records in one statement, by name; a record without any has no entry. */
export const loadLinkingAdaptors = async (
  client: Queryable,
  recordUuids: readonly string[],
): Promise<ReadonlyMap<string, readonly LinkingAdaptor[]>> => {
  const { rows } = await client.query<{
    readonly record_uuid: string;
    readonly uuid: string;
    readonly name: string;
    readonly date_created: Date;
  }>({
    name: 'records-load-linking-adaptors',
    text: `SELECT l.record_uuid, a.uuid, a.name, l.date_created
           FROM record_link l JOIN adaptor a ON a.uuid = l.adaptor_uuid
           WHERE l.record_uuid = ANY ($1::uuid[]) ORDER BY a.name, a.uuid`,
    values: [recordUuids],
  });
  const adaptors = new Map<string, LinkingAdaptor[]>();
  for (const row of rows) {
    const list = adaptors.get(row.record_uuid) ?? [];
    list.push({ uuid: row.uuid, name: row.name, dateCreated: row.date_created });
    adaptors.set(row.record_uuid, list);
  }
  return adaptors;
};

/** How many records adaptors link; an adaptor without any has no entry. */
export const countLinkages = async (
  client: Queryable,
  adaptorUuids: readonly string[],
): Promise<ReadonlyMap<string, bigint>> => {
  const { rows } = await client.query<{ readonly adaptor_uuid: string; readonly linkages: bigint }>({
    name: 'records-count-linkages',
    text: `SELECT adaptor_uuid, count(*) AS linkages FROM record_link
           WHERE adaptor_uuid = ANY ($1::uuid[]) GROUP BY adaptor_uuid`,
    values: [adaptorUuids],
  });
  return new Map(rows.map((row) => [row.adaptor_uuid, row.linkages]));
};

/** A record found for a reference. */
export interface FoundRecord {
  readonly uuid: string;
  /** Hexadecimal. */
  readonly keyDigest: string;
  readonly dateCreated: Date;
  readonly drKey: string;
  readonly json: string | null;
}

/** Records of a version by uuid or by digest of their key, or of a link's, in one statement. */
export const findRecords = async (
  client: Queryable,
  domainVersionUuid: string,
  wanted: { readonly uuids: readonly string[]; readonly keyDigests: readonly string[] },
): Promise<FoundRecord[]> => {
  const { rows } = await client.query<{
    readonly uuid: string;
    readonly key_digest: string;
    readonly date_created: Date;
    readonly dr_key: string;
    readonly json: string | null;
  }>({
    name: 'records-find-records',
    text: `WITH wanted AS (SELECT decode(digest, 'hex') AS digest FROM unnest($3::text[]) AS w(digest)),
           hit AS (
             SELECT r.uuid, r.key_digest FROM data_record r
             WHERE r.domain_version_uuid = $1 AND r.uuid = ANY ($2::uuid[])
             UNION
             SELECT r.uuid, r.key_digest FROM wanted w
               JOIN data_record r ON r.domain_version_uuid = $1 AND r.key_digest = w.digest
             UNION
             SELECT l.record_uuid, l.key_digest FROM wanted w
               JOIN record_link l ON l.domain_version_uuid = $1 AND l.key_digest = w.digest
           )
           SELECT r.uuid, encode(hit.key_digest, 'hex') AS key_digest, r.date_created, r.dr_key::text AS dr_key,
                  r.json::text AS json
           FROM hit JOIN data_record r ON r.uuid = hit.uuid`,
    values: [domainVersionUuid, wanted.uuids, wanted.keyDigests],
  });
  return rows.map((row) => ({
    uuid: row.uuid,
    keyDigest: row.key_digest,
    dateCreated: row.date_created,
    drKey: row.dr_key,
    json: row.json,
  }));
};
