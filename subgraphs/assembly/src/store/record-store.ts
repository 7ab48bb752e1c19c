import type { Database } from '@fds/database';
import type { JsonObject } from '@fds/json';

/** A catalogued record to assemble. `json` is the data of a data-store record, null for a federated one. */
export interface CataloguedRecord {
  readonly uuid: string;
  readonly drKey: JsonObject;
  readonly json: JsonObject | null;
  readonly lastUpdated: number;
}

/** What an adaptor holds of a record. */
export interface RecordHolding {
  readonly recordUuid: string;
  readonly adaptorUuid: string;
  /** The key this adaptor knows the record by. */
  readonly drKey: JsonObject;
  /** Epoch ms of its latest change known to the server. */
  readonly lastUpdated: number;
}

/** Which records of a version are asked for; all of them when neither list is given. */
export interface RecordSelection {
  readonly domainVersionUuid: string;
  readonly drUuids: readonly string[] | undefined;
  readonly keyDigests: readonly Buffer[] | undefined;
  readonly orderBy: readonly { readonly property: string; readonly numeric: boolean; readonly descending: boolean }[];
  readonly offset: number;
  readonly limit: number;
}

export interface RecordPage {
  readonly records: readonly CataloguedRecord[];
  readonly totalElements: number;
}

interface RecordRow {
  readonly uuid: string;
  readonly dr_key: JsonObject;
  readonly json: JsonObject | null;
  readonly last_updated: Date;
}

interface HoldingRow {
  readonly record_uuid: string;
  readonly adaptor_uuid: string;
  readonly dr_key: JsonObject;
  readonly last_updated: Date;
}

/** A page of the selected records and their total. Keys match what any adaptor holds, or the record itself. */
export const selectRecords = async (
  { pool }: Pick<Database, 'pool'>,
  selection: RecordSelection,
): Promise<RecordPage> => {
  const { domainVersionUuid, drUuids, keyDigests, orderBy, offset, limit } = selection;
  const values: unknown[] = [domainVersionUuid];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ['r.domain_version_uuid = $1'];
  if (drUuids !== undefined) conditions.push(`r.uuid = ANY(${bind(drUuids)}::uuid[])`);
  if (keyDigests !== undefined) {
    const digests = bind(keyDigests);
    conditions.push(`(r.key_digest = ANY(${digests}::bytea[]) OR EXISTS (SELECT FROM record_link l
      WHERE l.record_uuid = r.uuid AND l.domain_version_uuid = $1 AND l.key_digest = ANY(${digests}::bytea[])))`);
  }
  const where = conditions.join(' AND ');
  const counted = await pool.query<{ total: bigint }>(`SELECT count(*) AS total FROM data_record r WHERE ${where}`, [
    ...values,
  ]);
  const order = orderBy.map(
    ({ property, numeric, descending }) =>
      `${numeric ? `(r.dr_key->>${bind(property)})::numeric` : `r.dr_key->>${bind(property)}`} ${descending ? 'DESC' : 'ASC'}`,
  );
  const { rows } = await pool.query<RecordRow>(
    `SELECT r.uuid, r.dr_key, r.json, r.last_updated FROM data_record r WHERE ${where}
     ORDER BY ${[...order, 'r.uuid'].join(', ')} OFFSET ${bind(offset)} LIMIT ${bind(limit)}`,
    values,
  );
  return {
    records: rows.map((row) => ({
      uuid: row.uuid,
      drKey: row.dr_key,
      json: row.json,
      lastUpdated: row.last_updated.getTime(),
    })),
    totalElements: Number(counted.rows[0]?.total ?? 0n),
  };
};

/** Who holds which of the records. */
export const holdingsOf = async (
  { pool }: Pick<Database, 'pool'>,
  recordUuids: readonly string[],
): Promise<RecordHolding[]> => {
  const { rows } = await pool.query<HoldingRow>({
    name: 'assembly-holdings',
    text: 'SELECT record_uuid, adaptor_uuid, dr_key, last_updated FROM record_link WHERE record_uuid = ANY($1::uuid[])',
    values: [recordUuids],
  });
  return rows.map((row) => ({
    recordUuid: row.record_uuid,
    adaptorUuid: row.adaptor_uuid,
    drKey: row.dr_key,
    lastUpdated: row.last_updated.getTime(),
  }));
};

/** The domain versions that the records belong to, each once. Unknown records have none. */
export const domainVersionsOf = async (
  { pool }: Pick<Database, 'pool'>,
  drUuids: readonly string[],
): Promise<string[]> => {
  const { rows } = await pool.query<{ domain_version_uuid: string }>({
    name: 'assembly-versions-of',
    text: 'SELECT DISTINCT domain_version_uuid FROM data_record WHERE uuid = ANY($1::uuid[])',
    values: [drUuids],
  });
  return rows.map((row) => row.domain_version_uuid);
};
