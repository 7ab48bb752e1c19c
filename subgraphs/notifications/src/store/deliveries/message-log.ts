import type { Queryable } from '@fds/database';
import { readPage, type Paged, type PageRequest } from '@fds/graphql';

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

const selected = `FROM notification_message m WHERE registration_uuid = $1 AND ($2::text IS NULL OR m.status = $2)
  AND ($3::timestamptz IS NULL OR m.date_created >= $3) AND ($4::timestamptz IS NULL OR m.date_created < $4)`;

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

/** A page of the messages of a registration with their attempts, the newest first. */
export const listMessages = (
  session: Queryable,
  registrationUuid: string,
  { status, from, to }: MessageFilter,
  page: PageRequest,
): Promise<Paged<ShownMessage>> => {
  const values = [registrationUuid, status ?? null, from ?? null, to ?? null];
  return readPage(
    page,
    async () => {
      const { rows } = await session.query<{ count: bigint }>(`SELECT count(*) AS count ${selected}`, values);
      return Number(rows[0]?.count ?? 0n);
    },
    async ({ skip, take }) => {
      const { rows } = await session.query<Omit<ShownMessage, 'attempts' | 'webhookId'>>(
        `SELECT m.uuid AS "messageUuid", c.action, c.resource, c.resource_type AS type, m.status,
           m.date_created AS "dateCreated", m.settled_at AS "settledAt"
         FROM (SELECT * ${selected} ORDER BY sequence DESC OFFSET $5 LIMIT $6) AS m
         JOIN change_log c USING (position) ORDER BY m.sequence DESC`,
        [...values, skip, take],
      );
      const attempts = await loadAttempts(
        session,
        rows.map(({ messageUuid }) => messageUuid),
      );
      return rows.map((row) => ({
        ...row,
        webhookId: `msg_${row.messageUuid}`,
        attempts: attempts.get(row.messageUuid) ?? [],
      }));
    },
  );
};
