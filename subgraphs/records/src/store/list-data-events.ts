import type { Queryable } from './channel.js';

/** How an event stands at a destination. */
export interface EventDestination {
  readonly adaptorUuid: string;
  readonly status: string;
  readonly removedProperties: readonly string[];
  /** The entry that denied it. */
  readonly aclUuid: string | null;
}

/** A data event as it is kept. */
export interface ListedEvent {
  readonly uuid: string;
  readonly transactionUuid: string;
  readonly action: string;
  readonly matchStatus: string | null;
  readonly sourceAdaptorUuid: string | null;
  readonly createTime: Date;
  /** JSON text. */
  readonly drKey: string;
}

/** Events of a record, newest first. */
export const listEvents = async (
  client: Queryable,
  recordUuid: string,
  page: { readonly offset: number; readonly limit: number },
): Promise<ListedEvent[]> => {
  const { rows } = await client.query<{
    readonly uuid: string;
    readonly transaction_uuid: string;
    readonly action: string;
    readonly match_status: string | null;
    readonly source_adaptor_uuid: string | null;
    readonly create_time: Date;
    readonly dr_key: string;
  }>({
    name: 'records-list-events',
    // uuids of version 7: in the order of time
    text: `SELECT uuid, transaction_uuid, action, match_status, source_adaptor_uuid, create_time, dr_key::text AS dr_key
           FROM data_event WHERE record_uuid = $1 ORDER BY uuid DESC LIMIT $2::int OFFSET $3::bigint`,
    values: [recordUuid, page.limit, page.offset],
  });
  return rows.map((row) => ({
    uuid: row.uuid,
    transactionUuid: row.transaction_uuid,
    action: row.action,
    matchStatus: row.match_status,
    sourceAdaptorUuid: row.source_adaptor_uuid,
    createTime: row.create_time,
    drKey: row.dr_key,
  }));
};

/** How many events a record has, and whether there is such a record: its events outlive it. */
export const countEvents = async (
  client: Queryable,
  recordUuid: string,
): Promise<{ readonly total: number; readonly recordExists: boolean }> => {
  const { rows } = await client.query<{ readonly total: bigint; readonly exists: boolean }>({
    name: 'records-count-events',
    text: `SELECT (SELECT count(*) FROM data_event WHERE record_uuid = $1) AS total,
                  EXISTS (SELECT FROM data_record WHERE uuid = $1) AS exists`,
    values: [recordUuid],
  });
  return { total: Number(rows[0]?.total ?? 0n), recordExists: rows[0]?.exists === true };
};

/**
 * The destinations of events in one statement, by adaptor: those that were sent the event and those that were denied it.
 * A queued message counts as DELIVERED from when it is known to have been sent.
 */
export const loadDestinations = async (
  client: Queryable,
  eventUuids: readonly string[],
): Promise<ReadonlyMap<string, readonly EventDestination[]>> => {
  const { rows } = await client.query<{
    readonly event_uuid: string;
    readonly adaptor_uuid: string;
    readonly status: string;
    readonly removed_properties: string[];
    readonly acl_uuid: string | null;
  }>({
    name: 'records-load-destinations',
    text: `SELECT d.event_uuid, d.adaptor_uuid,
                  CASE WHEN d.status = 'QUEUED' AND d.sequence <= c.down_sent THEN 'DELIVERED' ELSE d.status END AS status,
                  d.removed_properties, NULL::uuid AS acl_uuid
           FROM delivery d LEFT JOIN adaptor_channel c ON c.adaptor_uuid = d.adaptor_uuid
           WHERE d.event_uuid = ANY ($1::uuid[])
           UNION ALL
           SELECT e.uuid, (denial ->> 'adaptorUuid')::uuid, 'DENIED', '{}', (denial ->> 'aclUuid')::uuid
           FROM data_event e CROSS JOIN LATERAL jsonb_array_elements(e.denied) AS denial
           WHERE e.uuid = ANY ($1::uuid[]) AND jsonb_typeof(e.denied) = 'array'
           ORDER BY 1, 2`,
    values: [eventUuids],
  });
  const destinations = new Map<string, EventDestination[]>();
  for (const row of rows) {
    const list = destinations.get(row.event_uuid) ?? [];
    list.push({
      adaptorUuid: row.adaptor_uuid,
      status: row.status,
      removedProperties: row.removed_properties,
      aclUuid: row.acl_uuid,
    });
    destinations.set(row.event_uuid, list);
  }
  return destinations;
};
