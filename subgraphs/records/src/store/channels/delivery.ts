import { eventWindow } from '@fds/adaptor-protocol';
import { binaryArray, type SqlSession, type Queryable } from '@fds/database';
import { stringifyJson } from '@fds/json';
import type { NotApplied } from '../../domain/routing/not-applied.js';
import { messageId, type InFlightMessage } from '../../domain/routing/outbox.js';

/** A message of an outbox, as the relay sends it. */
export interface OutboxMessage {
  readonly sequence: number;
  readonly recordUuid: string;
  /** JSON text of the envelope's `data`; null when it was applied long since. */
  readonly message: string | null;
  /** W3C trace context, where its trace is recorded. Default: none. */
  readonly traceparent?: string | undefined;
}

interface MessageRow {
  readonly sequence: bigint;
  readonly record_uuid: string;
  readonly message: string | null;
  readonly traceparent: string | null;
}

/** A stretch of an outbox, both ends inclusive. */
export interface OutboxRange {
  readonly from: number;
  readonly to: number;
  /** The stretch ends with the message that goes beyond. */
  readonly maxCharacters: number;
}

/** Reads a stretch of an outbox. */
export const loadMessages = async (
  client: Queryable,
  adaptorUuid: string,
  range: OutboxRange,
): Promise<OutboxMessage[]> => {
  const { rows } = await client.query<MessageRow>({
    name: 'records-load-messages',
    text: `SELECT sequence, record_uuid, message, traceparent FROM (
             SELECT sequence, record_uuid, message, traceparent,
                    sum(coalesce(octet_length(message), 0)) OVER (ORDER BY sequence ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
             FROM delivery WHERE adaptor_uuid = $1 AND sequence BETWEEN $2 AND $3
           ) d WHERE before IS NULL OR before < $4 ORDER BY sequence`,
    values: [adaptorUuid, range.from, range.to, range.maxCharacters],
  });
  return rows.map((row) => ({
    sequence: Number(row.sequence),
    recordUuid: row.record_uuid,
    message: row.message,
    ...(row.traceparent === null ? {} : { traceparent: row.traceparent }),
  }));
};

/** Reads single messages, by `messageId`. */
export const loadInFlight = async (
  client: SqlSession,
  messages: readonly { readonly adaptorUuid: string; readonly sequence: number }[],
): Promise<ReadonlyMap<string, InFlightMessage>> => {
  const { rows } = await client.query<{
    readonly adaptor_uuid: string;
    readonly sequence: bigint;
    readonly event_uuid: string;
    readonly message: string | null;
  }>({
    name: 'records-load-in-flight',
    // by the index: a join alone is planned while the table is small, and scans it whole when it has grown
    text: `SELECT d.adaptor_uuid, d.sequence, d.event_uuid, d.message
           FROM unnest($1::uuid[], $2::bigint[]) AS wanted(adaptor_uuid, sequence)
           CROSS JOIN LATERAL (
             SELECT * FROM delivery WHERE adaptor_uuid = wanted.adaptor_uuid AND sequence = wanted.sequence OFFSET 0
           ) d`,
    values: [
      binaryArray.uuid(messages.map(({ adaptorUuid }) => adaptorUuid)),
      binaryArray.int8(messages.map(({ sequence }) => sequence)),
    ],
  });
  return new Map(
    rows.map(({ adaptor_uuid: adaptorUuid, sequence, event_uuid: eventUuid, message }) => [
      messageId(adaptorUuid, Number(sequence)),
      { eventUuid, message },
    ]),
  );
};

/** An acknowledgement by the number of the outbox; it is valid for the epoch only. */
export interface OutboxAck {
  readonly adaptorUuid: string;
  readonly epoch: string;
  readonly upto: number;
  /** When the message `upto` was sent, epoch milliseconds. Default: not known. */
  readonly sentAt?: number | undefined;
}

/**
 * Messages before the acknowledged position that keep their content: as many events as are on the way at most
 * (docs/protocols/adaptor-bus.md#sequences). Errors and acknowledgements come on two connections, and a message that an
 * adaptor could not handle may have to be sent again.
 */
export const reportWindow = eventWindow;

/**
 * Status of a delivery `d` with its channel `c`: messages in the window have been acknowledged, and are marked when
 * they leave it.
 */
export const deliveryStatus = `CASE WHEN d.status <> 'QUEUED' THEN d.status WHEN d.sequence <= c.down_acked THEN 'APPLIED'
  WHEN d.sequence <= c.down_sent THEN 'DELIVERED' ELSE d.status END`;

/**
 * Notes what adaptors acknowledged, one statement for all. Messages that leave the window are marked as applied, unless
 * their adaptor reported that they failed, and lose their content. Old acknowledgements change nothing.
 */
export const saveAcks = async (client: Queryable, acks: readonly OutboxAck[]): Promise<void> => {
  await client.query({
    name: 'records-save-acks',
    text: `WITH acked AS (
             SELECT c.adaptor_uuid, c.down_acked, least(a.upto, c.down_sequence) AS upto, a.sent_ms
             FROM adaptor_channel c
             JOIN unnest($1::uuid[], $2::uuid[], $3::bigint[], $5::float8[]) AS a(adaptor_uuid, epoch, upto, sent_ms)
               ON a.adaptor_uuid = c.adaptor_uuid AND a.epoch = c.down_epoch AND a.upto > c.down_acked
             ORDER BY c.adaptor_uuid FOR NO KEY UPDATE OF c
           ), marked AS (
             UPDATE delivery d SET message = NULL,
               status = CASE d.status WHEN 'FAILED' THEN 'FAILED' ELSE 'APPLIED' END
             FROM acked WHERE d.adaptor_uuid = acked.adaptor_uuid AND d.sequence > acked.down_acked - $4
               AND d.sequence <= acked.upto - $4
           ), noted AS (
             INSERT INTO delivery_progress (adaptor_uuid, kind, upto, at, sent_at)
             SELECT adaptor_uuid, 'ACKED', upto, clock_timestamp(), to_timestamp(sent_ms / 1000.0) FROM acked
             ON CONFLICT DO NOTHING
           )
           UPDATE adaptor_channel c SET down_acked = acked.upto FROM acked WHERE c.adaptor_uuid = acked.adaptor_uuid`,
    values: [
      acks.map((ack) => ack.adaptorUuid),
      acks.map((ack) => ack.epoch),
      acks.map((ack) => ack.upto),
      reportWindow,
      acks.map(({ sentAt }) => sentAt ?? null),
    ],
  });
};

/** Notes how far outboxes were sent, one statement for all. Old notes change nothing. */
export const saveSent = async (client: Queryable, sent: readonly OutboxAck[]): Promise<void> => {
  await client.query({
    name: 'records-save-sent',
    text: `WITH sent AS (
             SELECT c.adaptor_uuid, least(s.upto, c.down_sequence) AS upto
             FROM adaptor_channel c
             JOIN unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS s(adaptor_uuid, epoch, upto)
               ON s.adaptor_uuid = c.adaptor_uuid AND s.epoch = c.down_epoch AND s.upto > c.down_sent
             ORDER BY c.adaptor_uuid FOR NO KEY UPDATE OF c
           ), noted AS (
             INSERT INTO delivery_progress (adaptor_uuid, kind, upto, at)
             SELECT adaptor_uuid, 'SENT', upto, clock_timestamp() FROM sent ON CONFLICT DO NOTHING
           )
           UPDATE adaptor_channel c SET down_sent = sent.upto FROM sent WHERE c.adaptor_uuid = sent.adaptor_uuid`,
    values: [sent.map((note) => note.adaptorUuid), sent.map((note) => note.epoch), sent.map((note) => note.upto)],
  });
};

/** The properties of a message that its destination could not apply. The row is locked. */
export const loadNotApplied = async (
  client: Queryable,
  message: { readonly adaptorUuid: string; readonly sequence: number },
): Promise<NotApplied> => {
  const { rows } = await client.query<{ readonly not_applied: NotApplied | null }>({
    name: 'records-load-not-applied',
    text: 'SELECT not_applied FROM delivery WHERE adaptor_uuid = $1 AND sequence = $2 FOR NO KEY UPDATE',
    values: [message.adaptorUuid, message.sequence],
  });
  return rows[0]?.not_applied ?? {};
};

/** Notes the properties of a message that its destination could not apply. */
export const saveNotApplied = async (
  client: Queryable,
  message: { readonly adaptorUuid: string; readonly sequence: number },
  notApplied: NotApplied,
): Promise<void> => {
  await client.query({
    name: 'records-save-not-applied',
    text: 'UPDATE delivery SET not_applied = $3 WHERE adaptor_uuid = $1 AND sequence = $2',
    values: [message.adaptorUuid, message.sequence, stringifyJson(notApplied)],
  });
};

/** Marks a message that its destination could not handle, whether it has acknowledged it or not. */
export const saveFailure = async (
  client: Queryable,
  message: { readonly adaptorUuid: string; readonly sequence: number },
): Promise<void> => {
  await client.query({
    name: 'records-save-failure',
    text: `UPDATE delivery SET status = 'FAILED' WHERE adaptor_uuid = $1 AND sequence = $2`,
    values: [message.adaptorUuid, message.sequence],
  });
};
