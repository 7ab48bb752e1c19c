import type { Queryable } from '@fds/database';
import { toListedRecord, type ListedRecord, type ListedRow } from './listed-record.js';

const statement = `
  SELECT uuid, NULL::uuid AS adaptor_uuid, NULL::uuid AS holder_uuid, domain_version_uuid, created_by_uuid, change_version,
         date_created, dr_key::text AS dr_key, json::text AS json
  FROM data_record WHERE uuid = $1::uuid`;

/** One record as a listing without adaptors shows it, by the shortest way; undefined: no such record. */
export const loadListedRecord = async (client: Queryable, uuid: string): Promise<ListedRecord | undefined> => {
  const { rows } = await client.query<ListedRow>({ name: 'records-load-listed', text: statement, values: [uuid] });
  return rows[0] === undefined ? undefined : toListedRecord(rows[0]);
};
