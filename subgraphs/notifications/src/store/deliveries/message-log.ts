import type { Queryable } from '@fds/database';
import { toPaged, type Paged, type PageRequest } from '@fds/graphql';
import { decideMessages, type DecisionTools, type MessageReceiver } from './decide-messages.js';

/** A message in the delivery log. */
export interface ShownMessage {
  readonly messageUuid: string;
  readonly webhookId: string;
  readonly action: string;
  readonly resource: string;
  readonly type: string;
  readonly status: string;
  readonly dateCreated: Date;
  readonly settledAt: Date | null;
  readonly attempts: readonly ShownAttempt[];
}

interface ShownAttempt {
  readonly number: number;
  readonly dateCreated: Date;
  readonly milliseconds: number;
  readonly outcome: string;
  readonly httpStatus: number | null;
  readonly error: string | null;
}

/** A selection of messages. Undefined members match any value. */
export interface MessageFilter {
  readonly status?: string | undefined;
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
}

interface LoggedMessage {
  readonly message_uuid: string;
  readonly action: string;
  readonly resource: string;
  readonly resource_type: string;
  readonly message_status: string;
  readonly message_created: Date;
  readonly settled_at: Date | null;
}

const loadAttempts = async (session: Queryable, messageUuids: readonly string[]) => {
  const { rows } = await session.query<ShownAttempt & { readonly messageUuid: string }>(
    `SELECT message_uuid AS "messageUuid", number, date_created AS "dateCreated", milliseconds, outcome,
       http_status AS "httpStatus", error
     FROM notification_attempt WHERE message_uuid = ANY ($1::uuid[])
     UNION ALL
     SELECT uuid, attempts, delivered_at, delivered_ms, 'DELIVERED', delivered_status, NULL
     FROM notification_message WHERE uuid = ANY ($1::uuid[]) AND delivered_at IS NOT NULL
     ORDER BY 1, 2`,
    [messageUuids],
  );
  const attempts = new Map<string, ShownAttempt[]>();
  for (const { messageUuid, ...attempt } of rows) {
    attempts.set(messageUuid, [...(attempts.get(messageUuid) ?? []), attempt]);
  }
  return attempts;
};

/** The messages of $1 that the receiver may see, as decided for $2. */
const seen = `FROM notification_message m
  WHERE registration_uuid = $1 AND decided_for = $2 AND NOT hidden AND ($3::text IS NULL OR m.status = $3)
    AND ($4::timestamptz IS NULL OR m.date_created >= $4) AND ($5::timestamptz IS NULL OR m.date_created < $5)`;

/**
 * A page of the messages of a registration with their attempts, the newest first. Only changes that the receiver may see
 * now appear and count.
 */
export const listMessages = async (
  tools: DecisionTools,
  receiver: MessageReceiver,
  registrationUuid: string,
  { status, from, to }: MessageFilter,
  page: PageRequest,
): Promise<Paged<ShownMessage>> => {
  const { reads } = tools.database;
  const rights = await decideMessages(tools, receiver, registrationUuid);
  const values = [registrationUuid, rights, status ?? null, from ?? null, to ?? null];
  const counted = await reads.query<{ readonly count: bigint }>(`SELECT count(*) AS count ${seen}`, values);
  const total = Number(counted.rows[0]?.count ?? 0n);
  const { rows } = await reads.query<LoggedMessage>(
    `SELECT m.uuid AS message_uuid, c.action, c.resource, c.resource_type, m.status AS message_status,
       m.date_created AS message_created, m.settled_at
     FROM (SELECT m.* ${seen} ORDER BY sequence DESC OFFSET $6 LIMIT $7) AS m
     JOIN change_log c USING (position) ORDER BY m.sequence DESC`,
    [...values, page.page * page.size, page.size],
  );
  const attempts = await loadAttempts(
    reads,
    rows.map((row) => row.message_uuid),
  );
  const shown = rows.map((row): ShownMessage => ({
    messageUuid: row.message_uuid,
    webhookId: `msg_${row.message_uuid}`,
    action: row.action,
    resource: row.resource,
    type: row.resource_type,
    status: row.message_status,
    dateCreated: row.message_created,
    settledAt: row.settled_at,
    attempts: attempts.get(row.message_uuid) ?? [],
  }));
  return toPaged(shown, page, total);
};
