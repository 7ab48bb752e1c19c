import type { Queryable } from '@fds/database';
import { deliveryStatus } from '../../store/channels/delivery.js';
import type { KeptDelivery, KeptEvent } from '../domain/kept-event.js';
import type { ExplainedSubject } from './find-subject.js';

const eventColumns = `uuid, transaction_uuid AS "transactionUuid", request_id AS "requestId", action,
  match_status AS "matchStatus", record_uuid AS "recordUuid", domain_version_uuid AS "domainVersionUuid",
  source_adaptor_uuid AS "sourceAdaptorUuid", dr_key::text AS "drKey", denied, not_stored AS "notStored", changed,
  explanation, date_created AS "dateCreated", false AS "isEcho"`;
const echoColumns = `uuid, transaction_uuid, NULL, action, 'RESOLVED', record_uuid, domain_version_uuid,
  source_adaptor_uuid, dr_key::text, NULL, NULL, NULL, explanation, NULL, true`;

/** The columns by which events are found. An echo is never of a person's request. */
const keys = [
  ['eventUuid', 'uuid', '::uuid'],
  ['transactionUuid', 'transaction_uuid', '::uuid'],
  ['recordUuid', 'record_uuid', '::uuid'],
  ['requestId', 'request_id', '::text'],
] as const;

/** Loads the events of a subject, newest first. */
export const loadExplainedEvents = async (
  client: Queryable,
  subject: ExplainedSubject,
  limit: number,
): Promise<readonly KeptEvent[]> => {
  const key = keys.find(([member]) => subject[member] !== undefined);
  if (key === undefined) return [];
  const [member, column, type] = key;
  const echoes =
    member === 'requestId'
      ? ''
      : `UNION ALL (SELECT ${echoColumns} FROM data_echo WHERE ${column} = $1${type} ORDER BY uuid DESC LIMIT $2)`;
  const { rows } = await client.query<KeptEvent>({
    name: `records-load-explained-events-${column}`,
    text: `SELECT * FROM (
             (SELECT ${eventColumns} FROM data_event WHERE ${column} = $1${type} ORDER BY uuid DESC LIMIT $2) ${echoes}
           ) e ORDER BY uuid DESC LIMIT $2`,
    values: [subject[member], limit],
  });
  // a message about a record names its transaction as well
  return subject.recordUuid === undefined || member === 'recordUuid'
    ? rows
    : rows.filter(({ recordUuid }) => recordUuid === subject.recordUuid);
};

/** Loads the last message of each event to each adaptor, by event. */
export const loadExplainedDeliveries = async (
  client: Queryable,
  eventUuids: readonly string[],
): Promise<ReadonlyMap<string, readonly KeptDelivery[]>> => {
  const { rows } = await client.query<
    Omit<KeptDelivery, 'sequence' | 'ahead' | 'attempts'> & Record<'sequence' | 'ahead' | 'attempts', bigint>
  >({
    name: 'records-load-explained-deliveries',
    text: `SELECT DISTINCT ON (d.event_uuid, d.adaptor_uuid) d.event_uuid AS "eventUuid", d.adaptor_uuid AS "adaptorUuid",
                  CASE WHEN d.sequence > c.down_base THEN d.sequence - c.down_base ELSE d.sequence END AS sequence, d.action, ${deliveryStatus} AS status,
                  d.removed_properties AS "removedProperties", encode(d.content, 'hex') AS content,
                  d.not_applied AS "notApplied", d.date_created AS "dateCreated",
                  greatest(d.sequence - 1 - coalesce(c.down_acked, 0), 0) AS ahead, a.state,
                  coalesce(least(s.at, k.sent_at), k.at) AS "sentAt", k.at AS "acknowledgedAt",
                  count(*) OVER (PARTITION BY d.event_uuid, d.adaptor_uuid) AS attempts
           FROM delivery d LEFT JOIN adaptor_channel c ON c.adaptor_uuid = d.adaptor_uuid
           LEFT JOIN adaptor a ON a.uuid = d.adaptor_uuid
           LEFT JOIN LATERAL (SELECT p.at FROM delivery_progress p WHERE p.adaptor_uuid = d.adaptor_uuid
                              AND p.kind = 'SENT' AND p.upto >= d.sequence ORDER BY p.upto LIMIT 1) s ON true
           LEFT JOIN LATERAL (SELECT p.at, p.sent_at FROM delivery_progress p WHERE p.adaptor_uuid = d.adaptor_uuid
                              AND p.kind = 'ACKED' AND p.upto >= d.sequence ORDER BY p.upto LIMIT 1) k ON true
           WHERE d.event_uuid = ANY ($1::uuid[])
           ORDER BY d.event_uuid, d.adaptor_uuid, d.sequence DESC`,
    values: [eventUuids],
  });
  const deliveries = new Map<string, KeptDelivery[]>();
  for (const row of rows) {
    const list = deliveries.get(row.eventUuid) ?? [];
    list.push({ ...row, sequence: Number(row.sequence), ahead: Number(row.ahead), attempts: Number(row.attempts) });
    deliveries.set(row.eventUuid, list);
  }
  return deliveries;
};
