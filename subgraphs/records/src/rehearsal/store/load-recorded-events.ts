import { binaryArray, type Queryable } from '@fds/database';
import { deliveryStatus } from '../../store/channels/delivery.js';
import type { KeptMessage, KeptRecordedEvent } from '../domain/read-recorded-event.js';

type EventRow = Omit<KeptRecordedEvent, 'messages'>;
type MessageRow = KeptMessage & { readonly eventUuid: string };

/** The last message to the adaptor about the record before an event, other than a DELETE. */
const wasSentBefore = `EXISTS (
  SELECT FROM (
    SELECT q.action FROM data_event p JOIN delivery q ON q.event_uuid = p.uuid
    WHERE p.record_uuid = e.record_uuid AND p.uuid < e.uuid AND q.adaptor_uuid = d.adaptor_uuid
    ORDER BY q.sequence DESC LIMIT 1
  ) last WHERE last.action <> 'DELETE')`;

/** Loads events with their messages, oldest first. Those that are gone are left out. */
export const loadRecordedEvents = async (
  session: Queryable,
  eventUuids: readonly string[],
): Promise<readonly KeptRecordedEvent[]> => {
  const values = [binaryArray.uuid(eventUuids)];
  const { rows: events } = await session.query<EventRow>({
    name: 'records-load-recorded-events',
    text: `SELECT uuid, record_uuid AS "recordUuid", action, match_status AS "matchStatus",
                  domain_version_uuid AS "domainVersionUuid", source_adaptor_uuid AS "sourceAdaptorUuid",
                  dr_key::text AS "drKey", denied, not_stored AS "notStored", changed, explanation
           FROM data_event WHERE uuid = ANY ($1::uuid[]) ORDER BY uuid`,
    values,
  });
  const { rows: messages } = await session.query<MessageRow>({
    name: 'records-load-recorded-messages',
    text: `SELECT DISTINCT ON (d.event_uuid, d.adaptor_uuid) d.event_uuid AS "eventUuid",
                  d.adaptor_uuid AS "adaptorUuid", d.action, d.removed_properties AS "removedProperties",
                  encode(d.content, 'hex') AS content,
                  first_value(${deliveryStatus}) OVER (PARTITION BY d.event_uuid, d.adaptor_uuid
                                                       ORDER BY d.sequence DESC) AS status,
                  d.action = 'POST' AND e.changed IS NOT NULL AND ${wasSentBefore} AS "wasSent"
           FROM delivery d JOIN data_event e ON e.uuid = d.event_uuid
           LEFT JOIN adaptor_channel c ON c.adaptor_uuid = d.adaptor_uuid
           WHERE d.event_uuid = ANY ($1::uuid[])
           ORDER BY d.event_uuid, d.adaptor_uuid, d.sequence`,
    values,
  });
  const byEvent = new Map<string, KeptMessage[]>();
  for (const { eventUuid, ...message } of messages) {
    const list = byEvent.get(eventUuid);
    if (list === undefined) byEvent.set(eventUuid, [message]);
    else list.push(message);
  }
  return events.map((event) => ({ ...event, messages: byEvent.get(event.uuid) ?? [] }));
};
