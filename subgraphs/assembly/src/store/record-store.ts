import type { DataHolder, VersionAccess } from '@fds/access-rules';
import type { Database, Queryable } from '@fds/database';
import type { JsonObject } from '@fds/json';
import {
  type SearchCondition,
  createSqlParameters,
  loadDatabaseFeatures,
  writeCondition,
  writeOrder,
  type DatabaseFeatures,
  type SortTerm,
  type SqlParameters,
} from '@fds/search';
import { writeSeenRecords, type SelectedRecords } from './write-seen-records.js';

/** A catalogued record to assemble. `json` is the data of a data-store record, and null for a federated one. */
export interface CataloguedRecord {
  readonly uuid: string;
  readonly drKey: JsonObject;
  readonly json: JsonObject | null;
  readonly lastUpdated: number;
  /** The adaptor whose key a caller with restricted access sees; null means the record's own key. */
  readonly keyHolder: DataHolder | null;
  /** The links of adaptors to the record, by the adaptor's uuid. Empty for a data-store record. */
  readonly holdings: ReadonlyMap<string, RecordHolding>;
}

/** The data of an adaptor's link to a record. */
export interface RecordHolding {
  /** The adaptor's key of the record. */
  readonly drKey: JsonObject;
  /** Epoch ms of its latest change that the server knows. */
  readonly lastUpdated: number;
  /** Is the adaptor known to be down? */
  readonly isDown: boolean;
}

/** Selects records of a version; all of them when neither list is given. */
export interface RecordSelection {
  readonly domainVersionUuid: string;
  readonly domainType: 'FEDERATED' | 'SERVICE_DATA_STORE';
  readonly drUuids: readonly string[] | undefined;
  readonly keyDigests: readonly Buffer[] | undefined;
  /** A federated record is compared by the key of each of its links, or by its own key if it has no link. */
  readonly condition: SearchCondition | undefined;
  readonly orderBy: readonly SortTerm[];
  readonly offset: number;
  readonly limit: number;
  /** The part of the version that a restricted caller may see. */
  readonly restriction?: VersionAccess | undefined;
  /** Properties that must be visible in a record, because it is found or sorted by them. */
  readonly required: readonly string[];
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
  readonly holder_uuid: string | null;
  readonly holder_zone_uuid: string | null;
  readonly holdings: readonly HoldingColumn[] | null;
  readonly total: bigint | null;
}

/** Uuid of the adaptor, its key, epoch ms of the latest change, state of the adaptor. */
type HoldingColumn = readonly [string, JsonObject, number, string];

/** States in which an adaptor does not answer. Paused adaptors still answer. */
const unreachable: readonly string[] = ['DOWN', 'DOWN_PAUSED', 'ERROR'];

const toHolding = ([adaptorUuid, drKey, lastUpdated, state]: HoldingColumn): [string, RecordHolding] => [
  adaptorUuid,
  { drKey, lastUpdated, isDown: unreachable.includes(state) },
];

const holdingsColumn = `(SELECT jsonb_agg(jsonb_build_array(l.adaptor_uuid, l.dr_key, floor(extract(epoch FROM l.last_updated) * 1000), a.state))
       FROM record_link l JOIN adaptor a ON a.uuid = l.adaptor_uuid WHERE l.record_uuid = page.uuid)`;

const everyRecord: SelectedRecords = {
  from: 'data_record r',
  conditions: [],
  key: 'r.dr_key',
  holder: 'NULL::uuid',
  zone: 'NULL::uuid',
};

/** Selected records as SQL, before order and page. */
interface WrittenSelection {
  readonly rows: SelectedRecords;
  readonly isSeen: boolean;
  readonly where: string;
  readonly order: string;
  readonly parameters: SqlParameters;
  /** The same for all selections with the same SQL; undefined when the SQL can vary without limit. */
  readonly form: string | undefined;
}

/** Keys match those of any adaptor, or the record's own. */
const writeSelection = (selection: RecordSelection, features: DatabaseFeatures): WrittenSelection => {
  const { domainVersionUuid, domainType, drUuids, keyDigests, condition, orderBy } = selection;
  const parameters = createSqlParameters();
  const isPointwise =
    selection.restriction === undefined && condition === undefined && orderBy.length === 0 && (drUuids ?? keyDigests);
  // the planner considers an index of the version only if the statement itself contains the version
  const version = isPointwise
    ? `${parameters.add(domainVersionUuid)}::uuid`
    : `'${domainVersionUuid.replaceAll("'", "''")}'::uuid`;
  const conditions = [`r.domain_version_uuid = ${version}`];
  const seen =
    selection.restriction === undefined
      ? undefined
      : writeSeenRecords(selection, selection.restriction, { parameters, features });
  if (seen !== undefined) conditions.push(...seen.conditions);
  if (drUuids !== undefined) conditions.push(`r.uuid = ANY(${parameters.add(drUuids)}::uuid[])`);
  if (keyDigests !== undefined && seen === undefined) {
    const digests = parameters.add(keyDigests);
    conditions.push(`r.uuid IN (
      SELECT u.uuid FROM data_record u WHERE u.domain_version_uuid = ${version} AND u.key_digest = ANY(${digests}::bytea[])
      UNION ALL SELECT l.record_uuid FROM record_link l
        WHERE l.domain_version_uuid = ${version} AND l.key_digest = ANY(${digests}::bytea[]))`);
  }
  if (condition !== undefined && domainType === 'SERVICE_DATA_STORE' && seen === undefined) {
    conditions.push(writeCondition({ key: 'r.dr_key', uuid: 'r.uuid', parameters, features }, condition));
  }
  if (condition !== undefined && domainType === 'FEDERATED' && seen === undefined) {
    const ofLink = writeCondition({ key: 'l.dr_key', uuid: 'l.record_uuid', parameters, features }, condition);
    const ofRecord = writeCondition({ key: 'u.dr_key', uuid: 'u.uuid', parameters, features }, condition);
    conditions.push(`r.uuid IN (
      SELECT l.record_uuid FROM record_link l WHERE l.domain_version_uuid = ${version} AND ${ofLink}
      UNION ALL SELECT u.uuid FROM data_record u WHERE u.domain_version_uuid = ${version} AND ${ofRecord}
        AND NOT EXISTS (SELECT FROM record_link k WHERE k.record_uuid = u.uuid))`);
  }
  const rows = seen ?? everyRecord;
  const order = writeOrder(orderBy, { key: rows.key, identity: ['r.uuid'] }, features);
  return {
    rows,
    isSeen: seen !== undefined,
    where: conditions.join(' AND '),
    order: order.join(', '),
    parameters,
    form: isPointwise
      ? [domainType, ...(drUuids === undefined ? [] : ['uuids']), ...(keyDigests === undefined ? [] : ['keys'])].join(
          '-',
        )
      : undefined,
  };
};

/** Does the first page of a selection usually contain all of it? */
const isOnePage = ({ drUuids, keyDigests, offset, limit }: RecordSelection): boolean =>
  offset === 0 && (drUuids ?? keyDigests ?? { length: Infinity }).length <= limit;

const countRecords = async (session: Queryable, { rows, where, parameters }: WrittenSelection): Promise<number> => {
  const counted = await session.query<{ total: bigint }>(`SELECT count(*) AS total FROM ${rows.from} WHERE ${where}`, [
    ...parameters.values,
  ]);
  return Number(counted.rows[0]?.total ?? 0n);
};

/**
 * A page of the selected records, their links and their total. A second statement counts if the page has no record, or
 * if a page of records by key is full, since a key may belong to several records.
 */
export const selectRecords = async (session: Queryable, selection: RecordSelection): Promise<RecordPage> => {
  const { offset, limit } = selection;
  const written = writeSelection(selection, await loadDatabaseFeatures(session));
  const { rows: selected, isSeen, where, order, parameters, form } = written;
  const withoutPage = { ...written, parameters: { ...parameters, values: [...parameters.values] } };
  const onePage = isOnePage(selection);
  const total = onePage ? 'NULL::bigint' : `(SELECT count(*) FROM ${selected.from} WHERE ${where})`;
  const holdings = selection.domainType === 'FEDERATED' ? holdingsColumn : 'NULL::jsonb';
  const { rows } = await session.query<RecordRow>({
    ...(form === undefined ? {} : { name: `assembly-page-${form}${onePage ? '' : '-counted'}` }),
    text: `SELECT r.uuid, ${isSeen ? 'page' : 'r'}.dr_key, r.json, r.last_updated, page.holder_uuid, page.holder_zone_uuid,
       ${holdings} AS holdings, ${total} AS total
     FROM (SELECT ordered.*, row_number() OVER () AS place FROM (
             SELECT r.uuid, ${isSeen ? `${selected.key} AS dr_key, ` : ''}${selected.holder} AS holder_uuid, ${selected.zone} AS holder_zone_uuid
             FROM ${selected.from} WHERE ${where} ORDER BY ${order}
             OFFSET ${parameters.add(offset)} LIMIT ${parameters.add(limit)}) AS ordered) AS page
     JOIN data_record r ON r.uuid = page.uuid ORDER BY page.place`,
    values: [...parameters.values],
  });
  const isCounted = rows[0]?.total !== undefined && rows[0].total !== null;
  const mayBeMore = isCounted ? false : onePage ? rows.length >= limit && selection.drUuids === undefined : offset > 0;
  return {
    records: rows.map((row) => ({
      uuid: row.uuid,
      drKey: row.dr_key,
      json: row.json,
      lastUpdated: row.last_updated.getTime(),
      keyHolder:
        row.holder_uuid === null || row.holder_zone_uuid === null
          ? null
          : { adaptorUuid: row.holder_uuid, zoneUuid: row.holder_zone_uuid },
      holdings: new Map(row.holdings?.map(toHolding)),
    })),
    totalElements: mayBeMore ? await countRecords(session, withoutPage) : Number(rows[0]?.total ?? rows.length),
  };
};

const uuidBytes = 16;

/** The uuids of many records, 16 bytes each. */
export interface PackedUuids {
  readonly length: number;
  slice(start: number, end: number): string[];
}

const unpackUuid = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

const packedUuids = (bytes: Buffer): PackedUuids => ({
  length: bytes.length / uuidBytes,
  slice: (start, end) => {
    const uuids: string[] = [];
    for (let at = start * uuidBytes; at < Math.min(end * uuidBytes, bytes.length); at += uuidBytes) {
      uuids.push(unpackUuid(bytes.subarray(at, at + uuidBytes)));
    }
    return uuids;
  },
});

/** The current uuids of a page of many records, and the total of the selection. */
export const selectUuids = async (
  session: Queryable,
  selection: RecordSelection,
): Promise<{ readonly uuids: PackedUuids; readonly totalElements: number }> => {
  const { offset, limit } = selection;
  const { rows: selected, where, order, parameters } = writeSelection(selection, await loadDatabaseFeatures(session));
  const { rows } = await session.query<{ uuids: Buffer | null; total: bigint }>(
    `SELECT string_agg(uuid_send(page.uuid), ''::bytea ORDER BY page.place) AS uuids,
       (SELECT count(*) FROM ${selected.from} WHERE ${where}) AS total
     FROM (SELECT ordered.uuid, row_number() OVER () AS place FROM (
             SELECT r.uuid FROM ${selected.from} WHERE ${where} ORDER BY ${order}
             OFFSET ${parameters.add(offset)} LIMIT ${parameters.add(limit)}) AS ordered) AS page`,
    [...parameters.values],
  );
  return {
    uuids: packedUuids(rows[0]?.uuids ?? Buffer.alloc(0)),
    totalElements: Number(rows[0]?.total ?? 0n),
  };
};

/** The domain versions that the records belong to, without duplicates. Unknown records have none. */
export const domainVersionsOf = async (
  { reads }: Pick<Database, 'reads'>,
  drUuids: readonly string[],
): Promise<string[]> => {
  const { rows } = await reads.query<{ domain_version_uuid: string }>({
    name: 'assembly-versions-of',
    text: 'SELECT DISTINCT domain_version_uuid FROM data_record WHERE uuid = ANY($1::uuid[])',
    values: [drUuids],
  });
  return rows.map((row) => row.domain_version_uuid);
};
