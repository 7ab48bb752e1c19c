import type { SqlSession } from '@fds/database';
import { isJsonObject, parseJson } from '@fds/json';
import type { SentContent } from '../../domain/routing/sent-content.js';
import type { FailedMessage } from '../../domain/routing/plan-redelivery.js';

/** The message that an issue of exception ADAPTOR is about. */
export interface IssueMessage extends FailedMessage {
  readonly domainVersionUuid: string;
  /** Null: a change through the API. */
  readonly sourceAdaptorUuid: string | null;
  /** The message itself has been queued again. */
  readonly isQueuedAgain: boolean;
}

/** Notes which event a destination could not handle. */
export const nameFailedEvent = async (client: SqlSession, issueUuid: string, eventUuid: string): Promise<void> => {
  await client.query({
    name: 'records-name-failed-event',
    text: 'UPDATE data_issue SET event_uuid = $2 WHERE uuid = $1',
    values: [issueUuid, eventUuid],
  });
};

/**
 * The messages of a record that an adaptor was sent as a whole after one that it could not handle, as far as it has not
 * reported that it cannot handle them either.
 */
export const loadLaterWholes = async (
  client: SqlSession,
  failed: { readonly adaptorUuid: string; readonly recordUuid: string; readonly sequence: number },
): Promise<readonly SentContent[]> => {
  const { rows } = await client.query<{ readonly content: SentContent | null }>({
    name: 'records-load-later-wholes',
    text: `SELECT encode(d.content, 'hex') AS content FROM data_event e JOIN delivery d ON d.event_uuid = e.uuid
           WHERE e.record_uuid = $2 AND d.adaptor_uuid = $1 AND d.sequence > $3 AND d.action = 'POST' AND d.status <> 'FAILED'`,
    values: [failed.adaptorUuid, failed.recordUuid, failed.sequence],
  });
  return rows.flatMap(({ content }) => content ?? []);
};

interface MessageRow extends Omit<IssueMessage, 'data' | 'sequence'> {
  readonly sequence: bigint;
  readonly dataEvent: string;
}

/**
 * The channel of the adaptor is locked: nothing is queued in the meantime. Undefined: the message is no longer known.
 */
export const loadFailedMessage = async (client: SqlSession, issueUuid: string): Promise<IssueMessage | undefined> => {
  const { rows } = await client.query<MessageRow>({
    text: `SELECT d.sequence, e.uuid AS "eventUuid", d.record_uuid AS "recordUuid", d.action,
                  e.domain_version_uuid AS "domainVersionUuid",
                  d.removed_properties AS "removedProperties", e.source_adaptor_uuid AS "sourceAdaptorUuid",
                  i.data_event AS "dataEvent",
                  d.status <> 'FAILED' AS "isQueuedAgain",
                  EXISTS (
                    SELECT FROM data_event later JOIN delivery n ON n.event_uuid = later.uuid
                    WHERE later.record_uuid = e.record_uuid AND n.adaptor_uuid = d.adaptor_uuid AND n.sequence > d.sequence
                  ) AS "isSuperseded"
           FROM data_issue i
           JOIN data_event e ON e.uuid = i.event_uuid
           JOIN delivery d ON d.event_uuid = e.uuid AND d.adaptor_uuid = i.adaptor_uuid
           WHERE i.uuid = $1 AND i.data_event IS NOT NULL
           ORDER BY d.sequence DESC LIMIT 1`,
    values: [issueUuid],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { dataEvent, sequence, ...message } = row;
  const data = parseJson(dataEvent);
  return isJsonObject(data) ? { ...message, sequence: Number(sequence), data } : undefined;
};
