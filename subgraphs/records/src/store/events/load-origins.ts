import { binaryArray, type SqlSession } from '@fds/database';
import type { JsonObject } from '@fds/json';
import type { SentMessage } from '../../domain/routing/sent-message.js';

/** An event that an adaptor names as the origin of a change. */
export interface WantedOrigin {
  readonly adaptorUuid: string;
  readonly transactionUuid: string;
  /** The record of the change; null: no record is known. */
  readonly recordUuid: string | null;
}

interface OriginRow {
  readonly adaptor_uuid: string;
  readonly transaction_uuid: string;
  readonly record_uuid: string;
  readonly dr_key: JsonObject;
  readonly sequence: bigint;
  readonly action: SentMessage['action'];
  readonly content: string | null;
}

/** An import is one transaction of very many events: the record finds its event, the key is compared with a few only. */
const maxEvents = 64;

/** Reads the messages of origins that adaptors were sent. One statement for all, by the index of transactions. */
export const loadOrigins = async (
  session: SqlSession,
  wanted: readonly WantedOrigin[],
): Promise<readonly SentMessage[]> => {
  if (wanted.length === 0) return [];
  const { rows } = await session.query<OriginRow>({
    name: 'records-load-origins',
    text: `SELECT DISTINCT w.adaptor_uuid, w.transaction_uuid, d.record_uuid, e.dr_key, d.sequence, d.action,
                  encode(d.content, 'hex') AS content
           FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS w(adaptor_uuid, transaction_uuid, record_uuid)
           CROSS JOIN LATERAL (
             (SELECT o.uuid, o.dr_key FROM data_event o
              WHERE o.transaction_uuid = w.transaction_uuid AND o.record_uuid = w.record_uuid LIMIT ${maxEvents})
             UNION ALL
             (SELECT o.uuid, o.dr_key FROM data_event o WHERE o.transaction_uuid = w.transaction_uuid LIMIT ${maxEvents})
           ) e
           CROSS JOIN LATERAL (
             SELECT s.adaptor_uuid, s.record_uuid, s.sequence, s.action, s.content FROM delivery s WHERE s.event_uuid = e.uuid OFFSET 0
           ) d
           WHERE d.adaptor_uuid = w.adaptor_uuid`,
    values: [
      binaryArray.uuid(wanted.map(({ adaptorUuid }) => adaptorUuid)),
      binaryArray.uuid(wanted.map(({ transactionUuid }) => transactionUuid)),
      binaryArray.uuid(wanted.map(({ recordUuid }) => recordUuid)),
    ],
  });
  return rows.map((row) => ({
    adaptorUuid: row.adaptor_uuid,
    transactionUuid: row.transaction_uuid,
    recordUuid: row.record_uuid,
    drKey: row.dr_key,
    sequence: Number(row.sequence),
    action: row.action,
    content: row.content ?? undefined,
  }));
};
