import { binaryArray, type Database, type Queryable } from '@fds/database';
import { isJsonObject, type JsonObject, type JsonValue } from '@fds/json';
import {
  createSqlParameters,
  loadDatabaseFeatures,
  type SearchCondition,
  type SqlParameters,
  writeCondition,
} from '@fds/search';
import type { DomainVersionView } from '../../domain/catalog.js';
import { readExplanation } from '../../domain/events/explanation.js';
import type { LinkState, RecordState } from '../../domain/records/record-book.js';
import { decodeKnown, type StoredContent } from '../../store/known-content/known-content-codec.js';

/** A record of a page as it was before its sides were asked. */
export interface PageRecord extends RecordState {
  /** Epoch ms of the latest change of each link. */
  readonly linkedAt: ReadonlyMap<string, number>;
}

interface RecordRow {
  readonly uuid: string;
  readonly key_digest: string;
  readonly dr_key: JsonObject;
  readonly json: JsonObject | null;
  readonly expected_content: Record<string, StoredContent> | null;
  readonly change_version: number;
  readonly links: readonly JsonValue[] | null;
}

type LinkColumn = readonly [string, string, JsonObject, StoredContent, number];

const toRecord = (domainVersionUuid: string, row: RecordRow): PageRecord => {
  const links = (row.links ?? []) as unknown as readonly LinkColumn[];
  return {
    uuid: row.uuid,
    domainVersionUuid,
    keyDigest: row.key_digest,
    drKey: row.dr_key,
    json: isJsonObject(row.json) ? row.json : null,
    createdByUuid: null,
    changeVersion: row.change_version,
    links: new Map(
      links.map(([adaptorUuid, keyDigest, drKey, known]): [string, LinkState] => [
        adaptorUuid,
        { adaptorUuid, keyDigest, drKey, known: decodeKnown(known) },
      ]),
    ),
    expected: new Map(Object.entries(row.expected_content ?? {}).map(([uuid, known]) => [uuid, decodeKnown(known)])),
    linkedAt: new Map(links.map(([adaptorUuid, , , , at]) => [adaptorUuid, at])),
  };
};

const selected = `r.uuid, encode(r.key_digest, 'hex') AS key_digest, r.dr_key, r.json, r.expected_content, r.change_version,
  (SELECT jsonb_agg(jsonb_build_array(l.adaptor_uuid, encode(l.key_digest, 'hex'), l.dr_key, l.known_content,
                                      floor(extract(epoch FROM l.last_updated) * 1000)))
   FROM record_link l WHERE l.record_uuid = r.uuid) AS links`;

/**
 * SQL that is true for the records `r` of a version that satisfy a condition. A federated record is searched by the key of
 * each of its links, or by its own key if it has no link.
 */
export const writeRecordCondition = async (
  session: Queryable,
  parameters: SqlParameters,
  { domainType }: DomainVersionView,
  condition: SearchCondition,
): Promise<string> => {
  const features = await loadDatabaseFeatures(session);
  const own = (): string => writeCondition({ key: 'r.dr_key', uuid: 'r.uuid', parameters, features }, condition);
  if (domainType === 'SERVICE_DATA_STORE') return own();
  const linked = writeCondition({ key: 'k.dr_key', uuid: 'k.record_uuid', parameters, features }, condition);
  const ofLinks = 'SELECT FROM record_link k WHERE k.record_uuid = r.uuid';
  return `(EXISTS (${ofLinks} AND ${linked}) OR (NOT EXISTS (${ofLinks}) AND ${own()}))`;
};

/** The place of a page in the records of a version. */
export interface PagePlace {
  /** Null: the first page. */
  readonly after: string | null;
  readonly upTo: string;
  readonly limit: number;
}

/** The next records of a version in the order of their uuids. */
export const loadPage = async (
  session: Queryable,
  version: DomainVersionView,
  condition: SearchCondition | undefined,
  { after, upTo, limit }: PagePlace,
): Promise<readonly PageRecord[]> => {
  const parameters = createSqlParameters();
  const conditions = [
    `r.domain_version_uuid = ${parameters.add(version.uuid)}::uuid`,
    `r.uuid <= ${parameters.add(upTo)}::uuid`,
    ...(after === null ? [] : [`r.uuid > ${parameters.add(after)}::uuid`]),
  ];
  if (condition !== undefined) conditions.push(await writeRecordCondition(session, parameters, version, condition));
  const { rows } = await session.query<RecordRow>({
    text: `SELECT ${selected} FROM data_record r WHERE ${conditions.join(' AND ')}
           ORDER BY r.uuid LIMIT ${parameters.add(limit)}::int`,
    values: [...parameters.values],
  });
  return rows.map((row) => toRecord(version.uuid, row));
};

/** Reads some records of a page again. Records that are gone are left out. */
export const reloadRecords = async (
  session: Queryable,
  version: DomainVersionView,
  uuids: readonly string[],
): Promise<readonly PageRecord[]> => {
  const { rows } = await session.query<RecordRow>({
    name: 'records-reload-reconciled',
    text: `SELECT ${selected} FROM data_record r WHERE r.uuid = ANY ($1::uuid[]) ORDER BY r.uuid`,
    values: [binaryArray.uuid(uuids)],
  });
  return rows.map((row) => toRecord(version.uuid, row));
};

/** An event of a record, as far as it decides whose value is the latest. */
export interface CommittedChange {
  readonly sourceAdaptorUuid: string | null;
  /** Null: all properties. */
  readonly changed: readonly string[] | null;
  /** The properties that it did not change in the data store, or all: a discovery, or an event that governance kept from the store. */
  readonly notStored: readonly string[] | 'ALL';
}

interface CommitRow {
  readonly record_uuid: string;
  readonly source_adaptor_uuid: string | null;
  readonly changed: readonly string[] | null;
  readonly not_stored: readonly string[] | null;
  readonly is_denied: boolean;
  readonly explanation: string | null;
}

const notStoredBy = ({
  not_stored: notStored,
  is_denied: isDenied,
  explanation,
}: CommitRow): readonly string[] | 'ALL' => {
  const isDiscovery =
    explanation !== null && readExplanation(explanation).notes.some(({ reason }) => reason === 'DISCOVERY');
  return isDenied || isDiscovery ? 'ALL' : (notStored ?? []);
};

/** Events of a record that are examined, the newest. */
const maxEvents = 100;

/** The latest changes of records, the newest first. */
export const loadCommits = async (
  { pool }: Pick<Database, 'pool'>,
  recordUuids: readonly string[],
): Promise<ReadonlyMap<string, readonly CommittedChange[]>> => {
  const found = new Map<string, CommittedChange[]>();
  if (recordUuids.length === 0) return found;
  const { rows } = await pool.query<CommitRow>({
    name: 'records-load-reconciled-commits',
    text: `SELECT w.uuid AS record_uuid, e.source_adaptor_uuid, e.changed, e.not_stored, e.explanation,
                  coalesce(e.denied @> '[{"adaptorUuid": null}]', false) AS is_denied
           FROM unnest($1::uuid[]) AS w(uuid) CROSS JOIN LATERAL (
             SELECT d.uuid, d.source_adaptor_uuid, d.changed, d.not_stored, d.denied, d.explanation FROM data_event d
             WHERE d.record_uuid = w.uuid AND d.action <> 'DELETE' ORDER BY d.uuid DESC LIMIT ${maxEvents}) e
           ORDER BY w.uuid, e.uuid DESC`,
    values: [binaryArray.uuid(recordUuids)],
  });
  for (const row of rows) {
    const list = found.get(row.record_uuid) ?? [];
    found.set(row.record_uuid, list);
    list.push({ sourceAdaptorUuid: row.source_adaptor_uuid, changed: row.changed, notStored: notStoredBy(row) });
  }
  return found;
};

/** Adaptors by the tier that the zone gives them for the version: 0 is gold. An adaptor without preference is absent. */
export const loadTiers = async (
  session: Queryable,
  zoneUuid: string,
  domainVersionUuid: string,
): Promise<ReadonlyMap<string, number>> => {
  const { rows } = await session.query<{ adaptor_uuid: string; preference_type: string }>(
    `SELECT adaptor_uuid, preference_type FROM adaptor_preference WHERE zone_uuid = $1 AND domain_version_uuid = $2`,
    [zoneUuid, domainVersionUuid],
  );
  return new Map(
    rows.map((row) => [
      row.adaptor_uuid,
      row.preference_type === 'GOLD' ? 0 : row.preference_type === 'SILVER' ? 1 : 2,
    ]),
  );
};
