import { logChanges, type Database } from '@fds/database';
import { stringifyJson, type JsonObject } from '@fds/json';

/** A record that a person adds. */
export interface NewRecord {
  readonly uuid: string;
  readonly domainVersionUuid: string;
  /** Hexadecimal. */
  readonly keyDigest: string;
  readonly drKey: JsonObject;
  /** Null for federated versions. */
  readonly json: JsonObject | null;
  readonly createdByUuid: string;
}

export type Insertion =
  | { readonly kind: 'INSERTED'; readonly dateCreated: Date }
  /** A record or an adaptor's link has the key. */
  | { readonly kind: 'DUPLICATE'; readonly uuid: string };

/** Adds a record with its change log row, unless its key is taken. */
export const insertRecord = (database: Database, record: NewRecord): Promise<Insertion> =>
  database.transaction(async (client) => {
    const { rows } = await client.query<{ readonly uuid: string }>({
      name: 'records-find-key',
      text: `SELECT uuid FROM data_record WHERE domain_version_uuid = $1 AND key_digest = decode($2, 'hex')
             UNION ALL
             SELECT record_uuid FROM record_link WHERE domain_version_uuid = $1 AND key_digest = decode($2, 'hex')`,
      values: [record.domainVersionUuid, record.keyDigest],
    });
    const [holder] = rows;
    if (holder !== undefined) return { kind: 'DUPLICATE', uuid: holder.uuid };
    const drKey = stringifyJson(record.drKey);
    const json = record.json === null ? null : stringifyJson(record.json);
    const inserted = await client.query<{
      readonly uuid: string;
      readonly date_created: Date;
      readonly fresh: boolean;
    }>({
      name: 'records-insert-record',
      // a concurrent insertion is waited for and then shown; nothing is updated
      text: `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json, created_by_uuid)
             VALUES ($1, $2, decode($3, 'hex'), $4::jsonb, $5::jsonb, $6)
             ON CONFLICT (domain_version_uuid, key_digest) DO UPDATE SET change_version = data_record.change_version
             RETURNING uuid, date_created, uuid = $1 AS fresh`,
      values: [record.uuid, record.domainVersionUuid, record.keyDigest, drKey, json, record.createdByUuid],
    });
    const [row] = inserted.rows;
    if (row === undefined) throw new TypeError('an inserted record was not returned');
    if (!row.fresh) return { kind: 'DUPLICATE', uuid: row.uuid };
    const { uuid, domainVersionUuid, createdByUuid } = record;
    await logChanges(client, [
      {
        action: 'POST',
        resourceType: 'Dr',
        resource: `/drs/${uuid}`,
        resourceUuid: uuid,
        actorUuid: createdByUuid,
        data: { uuid, domainVersionUuid, drKey: record.drKey, ...(record.json === null ? {} : { json: record.json }) },
      },
    ]);
    return { kind: 'INSERTED', dateCreated: row.date_created };
  });
