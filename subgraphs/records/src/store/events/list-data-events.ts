import type { Queryable } from '@fds/database';
import type { SortTerm } from '@fds/graphql';
import { writeVisible, type Visibility, createSqlParameters, type SqlParameters } from '@fds/search';
import { listNotApplied, type NotApplied } from '../../domain/routing/not-applied.js';
import { deliveryStatus } from '../channels/delivery.js';

/** The state of an event at a destination. */
export interface EventDestination {
  /** Null: the server's own store. */
  readonly adaptorUuid: string | null;
  readonly status: string;
  readonly removedProperties: readonly string[];
  /** The entry that denied it. */
  readonly aclUuid: string | null;
  /** The properties that the adaptor could not apply. */
  readonly notApplied: readonly { readonly property: string; readonly reason: string }[];
}

/** A data event as it is kept. */
export interface ListedEvent {
  readonly uuid: string;
  readonly transactionUuid: string;
  readonly action: string;
  readonly matchStatus: string | null;
  readonly domainVersionUuid: string;
  readonly sourceAdaptorUuid: string | null;
  readonly createTime: Date;
  /** JSON text. */
  readonly drKey: string;
}

/** The version of the events of a record, and so of the record. */
export const findVersionOfEvents = async (client: Queryable, recordUuid: string): Promise<string | undefined> => {
  const { rows } = await client.query<{ readonly version: string }>({
    name: 'records-find-version-of-events',
    text: `(SELECT domain_version_uuid AS version FROM data_record WHERE uuid = $1)
           UNION ALL (SELECT domain_version_uuid FROM data_event WHERE record_uuid = $1 LIMIT 1)`,
    values: [recordUuid],
  });
  return rows[0]?.version;
};

/** Restricts to visible events: a test on rows of `e`, empty without a restriction. */
const writeSeen = (visibility: Visibility | undefined, parameters: SqlParameters): string => {
  const [version] = visibility?.versions ?? [];
  if (visibility === undefined || version === undefined) return '';
  const own = writeVisible(visibility, version.uuid, { uuid: 'e.record_uuid', adaptor: null }, parameters);
  const sent = writeVisible(
    visibility,
    version.uuid,
    { uuid: 'e.record_uuid', adaptor: 'e.source_adaptor_uuid' },
    parameters,
  );
  return ` AND CASE WHEN e.source_adaptor_uuid IS NULL THEN ${own} ELSE ${sent} END`;
};

const sortColumns: Readonly<Record<string, string>> = {
  createTime: 'e.create_time',
  action: 'e.action',
  matchStatus: 'e.match_status',
  sourceAdaptorUuid: 'e.source_adaptor_uuid',
};

/** Fields that events may be sorted by. */
export const eventSortFields: readonly string[] = Object.keys(sortColumns);

/** uuids of version 7: in the order of time */
const writeOrder = (order: readonly SortTerm[]): string =>
  [
    ...order.map(({ field, descending }) => `${sortColumns[field]} ${descending ? 'DESC' : 'ASC'}`),
    'e.uuid DESC',
  ].join();

const named = (name: string, visibility: Visibility | undefined): { readonly name?: string } =>
  visibility === undefined ? { name } : {};

/** Visible events of a record, newest first unless another order is asked for. */
export const listEvents = async (
  client: Queryable,
  recordUuid: string,
  page: { readonly order: readonly SortTerm[]; readonly offset: number; readonly limit: number },
  visibility?: Visibility,
): Promise<ListedEvent[]> => {
  const parameters = createSqlParameters();
  const record = parameters.add(recordUuid);
  const [limit, offset] = [parameters.add(page.limit), parameters.add(page.offset)];
  const { rows } = await client.query<{
    readonly uuid: string;
    readonly transaction_uuid: string;
    readonly action: string;
    readonly match_status: string | null;
    readonly domain_version_uuid: string;
    readonly source_adaptor_uuid: string | null;
    readonly create_time: Date;
    readonly dr_key: string;
  }>({
    ...(page.order.length === 0 ? named('records-list-events', visibility) : {}),
    text: `SELECT e.uuid, e.transaction_uuid, e.action, e.match_status, e.domain_version_uuid, e.source_adaptor_uuid,
                  e.create_time, e.dr_key::text AS dr_key
           FROM data_event e WHERE e.record_uuid = ${record}::uuid${writeSeen(visibility, parameters)}
           ORDER BY ${writeOrder(page.order)} LIMIT ${limit}::int OFFSET ${offset}::bigint`,
    values: [...parameters.values],
  });
  return rows.map((row) => ({
    uuid: row.uuid,
    transactionUuid: row.transaction_uuid,
    action: row.action,
    matchStatus: row.match_status,
    domainVersionUuid: row.domain_version_uuid,
    sourceAdaptorUuid: row.source_adaptor_uuid,
    createTime: row.create_time,
    drKey: row.dr_key,
  }));
};

/** The number of visible events of a record, and whether the record is known: its events outlive it. */
export const countEvents = async (
  client: Queryable,
  recordUuid: string,
  visibility?: Visibility,
): Promise<{ readonly total: number; readonly recordExists: boolean }> => {
  const parameters = createSqlParameters();
  const record = `${parameters.add(recordUuid)}::uuid`;
  const { rows } = await client.query<{ readonly total: bigint; readonly exists: boolean }>({
    ...named('records-count-events', visibility),
    text: `SELECT (SELECT count(*) FROM data_event e WHERE e.record_uuid = ${record}${writeSeen(visibility, parameters)}) AS total,
                  EXISTS (SELECT FROM data_record WHERE uuid = ${record}) AS exists`,
    values: [...parameters.values],
  });
  return { total: Number(rows[0]?.total ?? 0n), recordExists: rows[0]?.exists === true };
};

/**
 * The destinations of events in one statement, by adaptor: those that were sent the event and those that were denied it.
 * The server's own store comes last where `hasStore`: it took each event of an adaptor that it was not denied.
 *
 * A queued message counts as DELIVERED from when it is known to have been sent. If an event was sent again, the last
 * attempt counts.
 */
export const loadDestinations = async (
  client: Queryable,
  eventUuids: readonly string[],
  hasStore: boolean,
): Promise<ReadonlyMap<string, readonly EventDestination[]>> => {
  const { rows } = await client.query<{
    readonly event_uuid: string;
    readonly adaptor_uuid: string | null;
    readonly status: string;
    readonly removed_properties: string[];
    readonly acl_uuid: string | null;
    readonly not_applied: NotApplied | null;
  }>({
    name: 'records-load-destinations',
    text: `(SELECT DISTINCT ON (d.event_uuid, d.adaptor_uuid) d.event_uuid, d.adaptor_uuid, ${deliveryStatus} AS status,
                  d.removed_properties, NULL::uuid AS acl_uuid, d.not_applied
           FROM delivery d LEFT JOIN adaptor_channel c ON c.adaptor_uuid = d.adaptor_uuid
           WHERE d.event_uuid = ANY ($1::uuid[])
           ORDER BY d.event_uuid, d.adaptor_uuid, d.sequence DESC)
           UNION ALL
           SELECT e.uuid, (denial ->> 'adaptorUuid')::uuid, 'DENIED', '{}', (denial ->> 'aclUuid')::uuid, NULL
           FROM data_event e CROSS JOIN LATERAL jsonb_array_elements(e.denied) AS denial
           WHERE e.uuid = ANY ($1::uuid[]) AND jsonb_typeof(e.denied) = 'array'
           UNION ALL
           SELECT e.uuid, NULL, 'APPLIED', ARRAY(SELECT jsonb_array_elements_text(e.not_stored)), NULL, NULL
           FROM data_event e
           WHERE $2::boolean AND e.uuid = ANY ($1::uuid[]) AND e.source_adaptor_uuid IS NOT NULL
             AND NOT COALESCE(e.denied @> '[{"adaptorUuid": null}]', false)
           ORDER BY 1, 2`,
    values: [eventUuids, hasStore],
  });
  const destinations = new Map<string, EventDestination[]>();
  for (const row of rows) {
    const list = destinations.get(row.event_uuid) ?? [];
    list.push({
      adaptorUuid: row.adaptor_uuid,
      status: row.status,
      removedProperties: row.removed_properties,
      aclUuid: row.acl_uuid,
      notApplied: listNotApplied(row.not_applied),
    });
    destinations.set(row.event_uuid, list);
  }
  return destinations;
};
