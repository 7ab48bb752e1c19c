import type { Queryable } from '@fds/database';
import { isUuid } from '@fds/json';
import { issueTransaction } from './load-explained-issues.js';

export type ExplainedKind = 'RECORD' | 'EVENT' | 'TRANSACTION' | 'ISSUE' | 'MESSAGE' | 'RECONCILIATION' | 'REQUEST';

/** The subject that an id names, and where its events are found. */
export interface ExplainedSubject {
  readonly kind: ExplainedKind;
  /** By one of these. None: it has no events. */
  readonly eventUuid?: string | undefined;
  readonly recordUuid?: string | undefined;
  readonly transactionUuid?: string | undefined;
  readonly requestId?: string | undefined;
  readonly issueUuid?: string | undefined;
  /** Path of the resource that shows it, which the caller has to be granted. Undefined: its events decide. */
  readonly path?: string | undefined;
  /** The person who gets the notification message. */
  readonly ownerUuid?: string | undefined;
}

interface SubjectRow {
  readonly kind: ExplainedKind;
  readonly event_uuid: string | null;
  readonly record_uuid: string | null;
  readonly transaction_uuid: string | null;
  readonly issue_uuid: string | null;
  readonly path: string | null;
  readonly owner_uuid: string | null;
}

const nothing =
  'NULL::uuid AS event_uuid, NULL::uuid AS record_uuid, NULL::uuid AS transaction_uuid, NULL::uuid AS issue_uuid';
const noPlace = 'NULL AS path, NULL::uuid AS owner_uuid';

/** The kinds of a uuid, in the order in which they count: the uuid of a reconciliation is its transaction, too. */
const byUuid = `
  SELECT 1 AS rank, 'EVENT' AS kind, $1::uuid AS event_uuid, NULL::uuid AS record_uuid, NULL::uuid AS transaction_uuid,
         NULL::uuid AS issue_uuid, ${noPlace}
  WHERE EXISTS (SELECT FROM data_event WHERE uuid = $1) OR EXISTS (SELECT FROM data_echo WHERE uuid = $1)
  UNION ALL
  SELECT 2, 'RECORD', NULL, $1, NULL, NULL, ${noPlace}
  WHERE EXISTS (SELECT FROM data_record WHERE uuid = $1) OR EXISTS (SELECT FROM data_event WHERE record_uuid = $1)
     OR EXISTS (SELECT FROM data_echo WHERE record_uuid = $1)
  UNION ALL
  SELECT 3, 'ISSUE', event_uuid, NULL, NULL, uuid, NULL, NULL FROM data_issue WHERE uuid = $1
  UNION ALL
  SELECT 4, 'RECONCILIATION', NULL, NULL, uuid, NULL,
         '/zones/' || zone_uuid || '/adaptors/' || adaptor_uuid || '/reconciliations/' || uuid, NULL
  FROM reconciliation WHERE uuid = $1
  UNION ALL
  SELECT 5, 'MESSAGE', NULL, CASE c.resource_type WHEN 'Dr' THEN c.resource_uuid END,
         CASE c.resource_type WHEN 'Dr' THEN (c.data::jsonb ->> 'transactionUuid')::uuid END,
         CASE c.resource_type WHEN 'DataIssue' THEN c.resource_uuid END, c.resource, r.user_uuid
  FROM notification_message m JOIN notification_registration r ON r.uuid = m.registration_uuid
  JOIN change_log c USING (position) WHERE m.uuid = $1 AND NOT m.hidden
  UNION ALL
  SELECT 6, 'TRANSACTION', NULL, NULL, $1, NULL, ${noPlace}
  WHERE EXISTS (SELECT FROM data_event WHERE transaction_uuid = $1)
     OR EXISTS (SELECT FROM data_echo WHERE transaction_uuid = $1)
     OR EXISTS (SELECT FROM data_issue WHERE data_event IS NOT NULL AND ${issueTransaction} = $1::text)`;

const byRequest = `
  SELECT 7 AS rank, 'REQUEST' AS kind, ${nothing}, ${noPlace}
  WHERE EXISTS (SELECT FROM data_event WHERE request_id = $1)`;

const readRow = (row: SubjectRow): ExplainedSubject => ({
  kind: row.kind,
  eventUuid: row.event_uuid ?? undefined,
  recordUuid: row.record_uuid ?? undefined,
  transactionUuid: row.transaction_uuid ?? undefined,
  issueUuid: row.issue_uuid ?? undefined,
  path: row.path ?? undefined,
  ownerUuid: row.owner_uuid ?? undefined,
});

const prefix = 'msg_';
const webhookId = /^msg_([0-9a-f-]{36})_(\d{1,18})$/i;

/** The event of a message that a webhook adaptor was sent. */
const findWebhookMessage = async (client: Queryable, id: string): Promise<ExplainedSubject | undefined> => {
  const [, adaptorUuid = '', sequence = ''] = webhookId.exec(id) ?? [];
  if (!isUuid(adaptorUuid)) return undefined;
  const { rows } = await client.query<{ readonly event_uuid: string }>({
    name: 'records-find-explained-webhook',
    text: 'SELECT event_uuid FROM delivery WHERE adaptor_uuid = $1 AND sequence = $2',
    values: [adaptorUuid, sequence],
  });
  return rows[0] && { kind: 'MESSAGE', eventUuid: rows[0].event_uuid };
};

/** Finds the subject of an id. Undefined: it is not known. */
export const findSubject = async (client: Queryable, id: string): Promise<ExplainedSubject | undefined> => {
  if (webhookId.test(id)) return findWebhookMessage(client, id);
  const uuid = id.startsWith(prefix) ? id.slice(prefix.length) : id;
  if (isUuid(uuid)) {
    const { rows } = await client.query<SubjectRow>({
      name: 'records-find-explained',
      text: `SELECT * FROM (${byUuid}) s ORDER BY rank LIMIT 1`,
      values: [uuid.toLowerCase()],
    });
    const [row] = rows;
    if (row !== undefined) return uuid === id || row.kind === 'MESSAGE' ? readRow(row) : undefined;
  }
  const { rows } = await client.query<SubjectRow>({
    name: 'records-find-explained-request',
    text: byRequest,
    values: [id],
  });
  return rows[0] && { kind: 'REQUEST', requestId: id };
};
