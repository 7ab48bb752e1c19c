import type { Queryable } from '@fds/database';
import { createSqlParameters, writePerVersion, writeVisible, type SqlParameters, type Visibility } from '@fds/search';
import { deliveryStatus } from '../channels/delivery.js';
import type { ListedEvent } from './list-data-events.js';

/** Which events are meant. Undefined members mean all. */
export interface EventRange {
  readonly sourceAdaptorUuid: string | undefined;
  readonly domainVersionUuid: string | undefined;
  /** Time of the commit, inclusive. */
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly to: Date | undefined;
}

/** A test that leaves out most events that do not match. The caller tests the rest. */
export interface EventSieve {
  /** Was sent the event, or it was denied to it. */
  readonly destinationUuid: string | undefined;
  /** The state at an adaptor. */
  readonly status: string | undefined;
  /** A text that the explanation contains. */
  readonly explained: string | undefined;
}

/** The events that a caller may see. Undefined: all. */
export interface SeenEvents {
  /** Undefined: all events of the versions. */
  readonly visibility: Visibility | undefined;
  /** Versions whose rules are known. */
  readonly versionUuids: readonly string[];
}

export interface FoundEvent extends ListedEvent {
  readonly recordUuid: string;
  /** Undefined: it is older than explanations. */
  readonly explanation: string | undefined;
}

/** The smallest uuid of version 7 of a time. */
const firstUuidOf = (time: Date): string => {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0').slice(-12);
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};

/** SQL: the caller may see the event `e`. */
export const writeSeen = ({ visibility, versionUuids }: SeenEvents, parameters: SqlParameters): string => {
  const known = `e.domain_version_uuid = ANY (${parameters.add(versionUuids)}::uuid[])`;
  if (visibility === undefined) return known;
  const seen = writePerVersion(visibility, 'e.domain_version_uuid', parameters, ({ uuid }) => {
    const own = writeVisible(visibility, uuid, { uuid: 'e.record_uuid', adaptor: null }, parameters);
    const columns = { uuid: 'e.record_uuid', adaptor: 'e.source_adaptor_uuid' };
    return `CASE WHEN e.source_adaptor_uuid IS NULL THEN ${own} ELSE ${writeVisible(visibility, uuid, columns, parameters)} END`;
  });
  return `${known} AND ${seen}`;
};

/** SQL conditions for the range, on the columns of `e`. */
export const writeRange = (
  { sourceAdaptorUuid, domainVersionUuid, from, to }: EventRange,
  after: string | undefined,
  parameters: SqlParameters,
): string[] => [
  ...(after === undefined ? [] : [`e.uuid < ${parameters.add(after)}::uuid`]),
  ...(from === undefined ? [] : [`e.uuid >= ${parameters.add(firstUuidOf(from))}::uuid`]),
  ...(to === undefined ? [] : [`e.uuid < ${parameters.add(firstUuidOf(to))}::uuid`]),
  ...(sourceAdaptorUuid === undefined ? [] : [`e.source_adaptor_uuid = ${parameters.add(sourceAdaptorUuid)}::uuid`]),
  ...(domainVersionUuid === undefined ? [] : [`e.domain_version_uuid = ${parameters.add(domainVersionUuid)}::uuid`]),
];

const writeSieve = ({ destinationUuid, status, explained }: EventSieve, parameters: SqlParameters): string[] => {
  const adaptor = destinationUuid === undefined ? undefined : parameters.add(destinationUuid);
  const isOf = adaptor === undefined ? '' : ` AND d.adaptor_uuid = ${adaptor}::uuid`;
  // a parameter without a use has no type
  const isIn = status === undefined || status === 'DENIED' ? '' : ` AND ${deliveryStatus} = ${parameters.add(status)}`;
  const sent = `EXISTS (SELECT FROM delivery d LEFT JOIN adaptor_channel c ON c.adaptor_uuid = d.adaptor_uuid
                        WHERE d.event_uuid = e.uuid${isOf}${isIn})`;
  const denied = `(jsonb_typeof(e.denied) = 'array' AND ${
    adaptor === undefined
      ? 'jsonb_array_length(e.denied) > 0'
      : `e.denied @> jsonb_build_array(jsonb_build_object('adaptorUuid', ${adaptor}::text))`
  })`;
  return [
    ...(explained === undefined ? [] : [`e.explanation LIKE ${parameters.add(`%${explained}%`)}`]),
    ...(status === 'DENIED' ? [denied] : []),
    ...(status !== undefined && status !== 'DENIED' ? [sent] : []),
    ...(status === undefined && adaptor !== undefined && explained === undefined ? [`(${sent} OR ${denied})`] : []),
  ];
};

const whereOf = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;

/**
 * The event with the place among those after a position, newest first. Events from there on are looked at later, so that one
 * statement looks at a limited number. Undefined: fewer events follow.
 */
export const findEventAt = async (
  session: Queryable,
  { from, to }: Pick<EventRange, 'from' | 'to'>,
  after: string | undefined,
  place: number,
): Promise<string | undefined> => {
  const parameters = createSqlParameters();
  const range = { from, to, sourceAdaptorUuid: undefined, domainVersionUuid: undefined };
  const where = whereOf(writeRange(range, after, parameters));
  const { rows } = await session.query<{ readonly uuid: string }>({
    text: `SELECT e.uuid FROM data_event e ${where} ORDER BY e.uuid DESC OFFSET ${parameters.add(place)}::int LIMIT 1`,
    values: [...parameters.values],
  });
  return rows[0]?.uuid;
};

/** Events of a range that pass the sieve, newest first. @param until the last event that is looked at */
export const searchEvents = async (
  session: Queryable,
  range: EventRange,
  sieve: EventSieve,
  place: { readonly after: string | undefined; readonly until: string | undefined; readonly limit: number },
  seen?: SeenEvents,
): Promise<FoundEvent[]> => {
  const parameters = createSqlParameters();
  const conditions = [
    ...writeRange(range, place.after, parameters),
    ...(place.until === undefined ? [] : [`e.uuid >= ${parameters.add(place.until)}::uuid`]),
    ...writeSieve(sieve, parameters),
    ...(seen === undefined ? [] : [writeSeen(seen, parameters)]),
  ];
  const { rows } = await session.query<{
    readonly uuid: string;
    readonly transaction_uuid: string;
    readonly action: string;
    readonly match_status: string | null;
    readonly record_uuid: string;
    readonly domain_version_uuid: string;
    readonly source_adaptor_uuid: string | null;
    readonly create_time: Date;
    readonly dr_key: string;
    readonly explanation: string | null;
  }>({
    text: `SELECT e.uuid, e.transaction_uuid, e.action, e.match_status, e.record_uuid, e.domain_version_uuid,
                  e.source_adaptor_uuid, e.create_time, e.dr_key::text AS dr_key, e.explanation
           FROM data_event e ${whereOf(conditions)} ORDER BY e.uuid DESC LIMIT ${parameters.add(place.limit)}::int`,
    values: [...parameters.values],
  });
  return rows.map((row) => ({
    uuid: row.uuid,
    transactionUuid: row.transaction_uuid,
    action: row.action,
    matchStatus: row.match_status,
    recordUuid: row.record_uuid,
    domainVersionUuid: row.domain_version_uuid,
    sourceAdaptorUuid: row.source_adaptor_uuid,
    createTime: row.create_time,
    drKey: row.dr_key,
    explanation: row.explanation ?? undefined,
  }));
};

/** A number of events with equal source, destination, version and status. */
export interface EventCount {
  readonly sourceAdaptorUuid: string | null;
  readonly destinationAdaptorUuid: string | null;
  readonly domainVersionUuid: string;
  readonly status: string | null;
  readonly count: bigint;
}

/** Counts the events of a range, for a caller who may see all of them. */
export const countEventsOf = async (session: Queryable, range: EventRange): Promise<EventCount[]> => {
  const parameters = createSqlParameters();
  const where = whereOf([...writeRange(range, undefined, parameters), 'e.record_uuid IS NOT NULL']);
  const { rows } = await session.query<{
    readonly source: string | null;
    readonly destination: string | null;
    readonly version: string;
    readonly status: string | null;
    readonly count: bigint;
  }>({
    text: `WITH chosen AS MATERIALIZED (
             SELECT e.uuid, e.source_adaptor_uuid AS source, e.domain_version_uuid AS version, e.denied
             FROM data_event e ${where}
           ), placed AS (
             (SELECT DISTINCT ON (e.uuid, d.adaptor_uuid) e.uuid, d.adaptor_uuid AS destination, ${deliveryStatus} AS status
              FROM chosen e JOIN delivery d ON d.event_uuid = e.uuid
              LEFT JOIN adaptor_channel c ON c.adaptor_uuid = d.adaptor_uuid
              ORDER BY e.uuid, d.adaptor_uuid, d.sequence DESC)
             UNION ALL
             SELECT e.uuid, (denial ->> 'adaptorUuid')::uuid, 'DENIED'
             FROM chosen e CROSS JOIN LATERAL jsonb_array_elements(e.denied) AS denial
             WHERE jsonb_typeof(e.denied) = 'array' AND denial ->> 'adaptorUuid' IS NOT NULL
           )
           SELECT e.source, p.destination, e.version, p.status, count(*) AS count
           FROM chosen e LEFT JOIN placed p ON p.uuid = e.uuid
           GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC, 1, 2, 3, 4`,
    values: [...parameters.values],
  });
  return rows.map(({ source, destination, version, status, count }) => ({
    sourceAdaptorUuid: source,
    destinationAdaptorUuid: destination,
    domainVersionUuid: version,
    status,
    count,
  }));
};
