import type { Queryable } from '@fds/database';
import type { SentContent } from '../../domain/routing/sent-content.js';
import { reportWindow } from '../channels/delivery.js';

/** An adaptor's statements about the event that it could not handle; each as far as it knows. */
export interface EventReference {
  readonly drUuid: string | undefined;
  readonly transactionUuid: string | undefined;
  /** Number on the wire, in the present epoch. */
  readonly sequence: number | undefined;
}

/** The event as far as the server knows it. */
export interface ReportedEvent {
  readonly eventUuid: string | null;
  readonly domainVersionUuid: string;
  readonly recordUuid: string | null;
  /** Number of its message in the outbox; null where only the record is known. */
  readonly sequence: number | null;
  /** JSON text. */
  readonly dataEvent: string | null;
  /** The content of its message, also after the message is dropped. Null where only the record is known, and of a DELETE. */
  readonly content: SentContent | null;
}

interface EventRow {
  readonly event_uuid: string | null;
  readonly domain_version_uuid: string;
  readonly record_uuid: string;
  readonly sequence: bigint | null;
  readonly data_event: string | null;
  readonly content: SentContent | null;
}

// the content of messages that were acknowledged long ago is dropped: the event then supplies the properties
const messageColumns = `
  SELECT e.uuid AS event_uuid, e.domain_version_uuid, d.record_uuid, d.sequence,
         coalesce(d.message, jsonb_build_object(
           'action', d.action, 'drUuid', d.record_uuid, 'domainVersionUuid', e.domain_version_uuid,
           'transactionUuid', e.transaction_uuid, 'sourceAdaptorUuid', e.source_adaptor_uuid,
           'createTime', (extract(epoch FROM e.create_time) * 1000)::bigint, 'drKey', e.dr_key)::text) AS data_event, encode(d.content, 'hex') AS content`;

/** Among those that the adaptor has just been sent. */
const findMessage = `${messageColumns}
  FROM adaptor_channel c
  JOIN delivery d ON d.adaptor_uuid = c.adaptor_uuid
    AND d.sequence BETWEEN c.down_acked - $5
      AND CASE WHEN $4::bigint IS NULL THEN greatest(c.down_acked + $5, c.down_sent) ELSE c.down_sequence END
  JOIN data_event e ON e.uuid = d.event_uuid
  WHERE c.adaptor_uuid = $1
    AND ($2::uuid IS NULL OR d.record_uuid = $2)
    AND ($3::uuid IS NULL OR e.transaction_uuid = $3)
    AND ($4::bigint IS NULL OR d.sequence = c.down_base + $4)
  ORDER BY d.sequence DESC LIMIT 1`;

/** By transaction and record, also long after the acknowledgement. */
const findNamedMessage = `${messageColumns}
  FROM data_event e JOIN delivery d ON d.event_uuid = e.uuid
  WHERE e.transaction_uuid = $3 AND e.record_uuid = $2 AND d.adaptor_uuid = $1
  ORDER BY d.sequence DESC LIMIT 1`;

const findRecord = `
  SELECT NULL::uuid AS event_uuid, domain_version_uuid, uuid AS record_uuid, NULL::bigint AS sequence, NULL AS data_event,
         NULL AS content FROM data_record WHERE uuid = $1`;

/**
 * The event among those that the adaptor has just been sent, otherwise the one of the transaction and record that it names,
 * otherwise the record. The acknowledged
 * position stays before a message that waits at the adaptor, so the adaptor may have been sent many more.
 */
export const findReportedEvent = async (
  client: Queryable,
  adaptorUuid: string,
  { drUuid, transactionUuid, sequence }: EventReference,
): Promise<ReportedEvent | undefined> => {
  const reference = [drUuid, transactionUuid, sequence];
  if (reference.every((part) => part === undefined)) return undefined;
  const values = [adaptorUuid, ...reference.map((part) => part ?? null), reportWindow];
  const message = await client.query<EventRow>(findMessage, values);
  let [row] = message.rows;
  if (row === undefined && drUuid !== undefined && reference[1] !== undefined)
    [row] = (await client.query<EventRow>(findNamedMessage, values.slice(0, 3))).rows;
  if (row === undefined && drUuid !== undefined) [row] = (await client.query<EventRow>(findRecord, [drUuid])).rows;
  if (row === undefined) return undefined;
  return {
    eventUuid: row.event_uuid,
    domainVersionUuid: row.domain_version_uuid,
    recordUuid: row.record_uuid,
    dataEvent: row.data_event,
    sequence: row.sequence === null ? null : Number(row.sequence),
    content: row.content,
  };
};
