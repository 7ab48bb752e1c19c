import type { Queryable } from '@fds/database';

/** A row of a listing; JSON is text. */
export interface ListedRecord {
  readonly uuid: string;
  readonly adaptorUuid: string | null;
  /** The adaptor whose key is shown; null: the record's own. */
  readonly holderUuid: string | null;
  readonly domainVersionUuid: string;
  readonly createdByUuid: string | null;
  /** changeVersion of the record. */
  readonly changeVersion: number;
  readonly dateCreated: Date;
  readonly drKey: string;
  readonly json: string | null;
}

/** A page of a listing. */
export interface ListedPage<Listed = ListedRecord> {
  readonly records: readonly Listed[];
  /** Total of all pages; undefined where it is not known without counting. */
  readonly total: number | undefined;
}

/** A row as the database gives it. */
export interface ListedRow {
  readonly uuid: string;
  readonly adaptor_uuid: string | null;
  readonly holder_uuid: string | null;
  readonly domain_version_uuid: string;
  readonly created_by_uuid: string | null;
  readonly change_version: number;
  readonly date_created: Date;
  readonly dr_key: string;
  readonly json: string | null;
}

export const toListedRecord = (row: ListedRow): ListedRecord => ({
  uuid: row.uuid,
  adaptorUuid: row.adaptor_uuid,
  holderUuid: row.holder_uuid,
  domainVersionUuid: row.domain_version_uuid,
  createdByUuid: row.created_by_uuid,
  changeVersion: row.change_version,
  dateCreated: row.date_created,
  drKey: row.dr_key,
  json: row.json,
});

const wholeRecord = `
  SELECT uuid, NULL::uuid AS adaptor_uuid, NULL::uuid AS holder_uuid, domain_version_uuid, created_by_uuid, change_version,
         date_created, dr_key::text AS dr_key, json::text AS json
  FROM data_record WHERE uuid = $1::uuid`;

/** One record as a listing without adaptors shows it, by the shortest way; undefined: no such record. */
export const loadListedRecord = async (client: Queryable, uuid: string): Promise<ListedRecord | undefined> => {
  const { rows } = await client.query<ListedRow>({ name: 'records-load-listed', text: wholeRecord, values: [uuid] });
  return rows[0] === undefined ? undefined : toListedRecord(rows[0]);
};
