import { mayReceive, type ChangeReceiver } from '@fds/change-events';
import { toLoggedChange, type ChangeRow, type Database, type Queryable } from '@fds/database';
import { toPaged, type Paged, type PageRequest } from '@fds/graphql';
import { isUuid } from '@fds/json';
import { openSubjects } from '../open-subjects.js';

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

/** Messages that are read at once. A piece of this size does not delay other requests. */
const stepSize = 500;
/** A step ends with the message with which its changes reach this size. */
const stepBytes = 2 ** 20;

interface LoggedMessage extends ChangeRow {
  readonly message_uuid: string;
  readonly sequence: bigint;
  readonly message_status: string;
  readonly message_created: Date;
  readonly settled_at: Date | null;
}

/**
 * The messages of a registration, newest first, whose changes the receiver may see now. Reads them in steps, and
 * holds one step in memory.
 */
async function* readSeenMessages(
  database: Pick<Database, 'reads'>,
  receiver: ChangeReceiver,
  registrationUuid: string,
  { messageUuid, status, from, to }: MessageFilter & { readonly messageUuid?: string | undefined },
): AsyncGenerator<LoggedMessage> {
  const subjects = openSubjects(database);
  for (let before: bigint | null = null; ;) {
    const { rows }: { readonly rows: readonly LoggedMessage[] } = await database.reads.query<LoggedMessage>(
      `SELECT c.*, m.uuid AS message_uuid, m.sequence, m.status AS message_status, m.date_created AS message_created,
         m.settled_at
       FROM (SELECT *, sum(bytes) OVER (ORDER BY sequence DESC) - bytes AS before
             FROM (SELECT * FROM notification_message m WHERE registration_uuid = $1 AND ($2::text IS NULL OR m.status = $2)
               AND ($3::timestamptz IS NULL OR m.date_created >= $3)
               AND ($4::timestamptz IS NULL OR m.date_created < $4)
               AND ($5::uuid IS NULL OR m.uuid = $5) AND ($6::bigint IS NULL OR m.sequence < $6)
             ORDER BY sequence DESC LIMIT $7) AS step) AS m
       JOIN change_log c USING (position) WHERE m.before < $8 ORDER BY m.sequence DESC`,
      [registrationUuid, status ?? null, from ?? null, to ?? null, messageUuid ?? null, before, stepSize, stepBytes],
    );
    const changes = rows.map(toLoggedChange);
    const found = await subjects.find(changes);
    for (const [index, row] of rows.entries()) {
      const [change, subject] = [changes[index], found[index]];
      if (change !== undefined && subject !== undefined && mayReceive(receiver, change, subject)) yield row;
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    before = last.sequence;
  }
}

/** The number of waiting messages whose changes the receiver may see now. */
export const countWaiting = async (
  database: Pick<Database, 'reads'>,
  receiver: ChangeReceiver,
  registrationUuid: string,
): Promise<number> => {
  let waiting = 0;
  for await (const _ of readSeenMessages(database, receiver, registrationUuid, { status: 'QUEUED' })) waiting += 1;
  return waiting;
};

/** Does the registration have the message, and may the receiver see its change now? */
export const hasSeenMessage = async (
  database: Pick<Database, 'reads'>,
  receiver: ChangeReceiver,
  registrationUuid: string,
  messageUuid: string,
): Promise<boolean> => {
  if (!isUuid(messageUuid)) return false;
  for await (const _ of readSeenMessages(database, receiver, registrationUuid, { messageUuid })) return true;
  return false;
};

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

/**
 * A page of the messages of a registration with their attempts, the newest first. Only changes that the receiver may see
 * now appear and count.
 */
export const listMessages = async (
  database: Pick<Database, 'reads'>,
  receiver: ChangeReceiver,
  registrationUuid: string,
  filter: MessageFilter,
  page: PageRequest,
): Promise<Paged<ShownMessage>> => {
  const first = page.page * page.size;
  const rows: LoggedMessage[] = [];
  let total = 0;
  for await (const row of readSeenMessages(database, receiver, registrationUuid, filter)) {
    if (total >= first && rows.length < page.size) rows.push(row);
    total += 1;
  }
  const attempts = await loadAttempts(
    database.reads,
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
