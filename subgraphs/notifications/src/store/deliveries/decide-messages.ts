import { randomUUID } from 'node:crypto';
import { mayReceive, type ChangeReceiver } from '@fds/change-events';
import type { Principal } from '@fds/auth';
import { binaryArray, toLoggedChange, type ChangeRow, type Database } from '@fds/database';
import { isUuid } from '@fds/json';
import type { KeyQueues } from '@fds/service';
import { openSubjects } from '../open-subjects.js';
import { lockReceivers } from '../queue/lock-receivers.js';

export type MessageReceiver = ChangeReceiver & Pick<Principal, 'rights'>;

/**
 * The rights under which a message that its user sees now is decided. Null for a user with data access rules, whose messages are
 * decided when they are listed: the rules also depend on the catalog.
 */
export const decidedFor = ({ rights, dataAccess }: MessageReceiver): string | null =>
  dataAccess === undefined ? (rights ?? null) : null;

/**
 * The state of the catalog on which rules depend: zones of adaptors, and versions by the revision that the catalog view of the records
 * compares. No model is read. The last position of the change log would not do: a transaction with an earlier one may commit later.
 */
const loadCatalogState = async ({ reads }: Pick<Database, 'reads'>): Promise<string> => {
  const { rows } = await reads.query<{ readonly state: string }>(
    `SELECT concat_ws('.',
       (SELECT sum(hashtextextended(uuid::text || zone_uuid::text, 0)) FROM adaptor),
       (SELECT sum(hashtextextended(v.uuid::text || d.change_version || '.' || v.change_version, 0))
        FROM domain_version v JOIN domain d ON d.uuid = v.domain_uuid)) AS state`,
  );
  return rows[0]?.state ?? '';
};

/** Equal texts mean that the receiver may see the same changes. It is read before the decisions. */
const loadRights = async (database: Pick<Database, 'reads'>, receiver: MessageReceiver): Promise<string> => {
  const { dataAccess, rights = randomUUID() } = receiver;
  return dataAccess === undefined ? rights : `${rights}.${await loadCatalogState(database)}`;
};

export interface DecisionTools {
  readonly database: Pick<Database, 'reads' | 'transaction'>;
  /** Requests about one registration wait for each other, so that each message is decided once. */
  readonly deciding: KeyQueues;
}

/** Messages that are read at once. A piece of this size does not delay other requests. */
const stepSize = 500;
/** A step ends with the message with which its changes reach this size. */
const stepBytes = 2 ** 20;

interface UndecidedMessage extends ChangeRow {
  readonly message_uuid: string;
  readonly sequence: bigint;
}

const decide = async (
  database: Pick<Database, 'reads'>,
  receiver: MessageReceiver,
  rows: readonly UndecidedMessage[],
): Promise<readonly boolean[]> => {
  const changes = rows.map(toLoggedChange);
  const subjects = await openSubjects(database).find(changes);
  return changes.map((change, index) => {
    const subject = subjects[index];
    return subject !== undefined && mayReceive(receiver, change, subject);
  });
};

interface Undecided {
  readonly registrationUuid: string;
  readonly rights: string;
  /** Null: every status. */
  readonly status: 'QUEUED' | null;
}

/** Decides on messages that were decided for other rights, in steps. Most are decided when they are queued. */
const decideRest = async (
  database: DecisionTools['database'],
  receiver: MessageReceiver,
  { registrationUuid, rights, status }: Undecided,
): Promise<void> => {
  for (let after: bigint | null = null; ;) {
    const { rows }: { readonly rows: readonly UndecidedMessage[] } = await database.reads.query<UndecidedMessage>(
      `SELECT c.*, m.uuid AS message_uuid, m.sequence
       FROM (SELECT *, sum(bytes) OVER (ORDER BY sequence) - bytes AS before
             FROM (SELECT * FROM notification_message
               WHERE registration_uuid = $1 AND decided_for IS DISTINCT FROM $2 AND ($3::text IS NULL OR status = $3)
                 AND ($4::bigint IS NULL OR sequence > $4)
             ORDER BY sequence LIMIT $5) AS step) AS m
       JOIN change_log c USING (position) WHERE m.before < $6 ORDER BY m.sequence`,
      [registrationUuid, rights, status, after, stepSize, stepBytes],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    const seen = await decide(database, receiver, rows);
    await database.transaction(async (client) => {
      await lockReceivers(client, [registrationUuid]);
      await client.query({
        name: 'notifications-decide',
        text: `UPDATE notification_message m SET decided_for = $1, hidden = NOT d.seen
               FROM unnest($2::uuid[], $3::boolean[]) AS d(uuid, seen) WHERE m.uuid = d.uuid`,
        values: [rights, binaryArray.uuid(rows.map(({ message_uuid }) => message_uuid)), seen],
      });
    });
    after = last.sequence;
  }
};

/**
 * Decides which messages of a registration the receiver may see now. Each message is decided once for the same rights.
 *
 * @returns the rights: the messages with these rights in `decided_for` that are not `hidden` are seen
 */
export const decideMessages = async (
  { database, deciding }: DecisionTools,
  receiver: MessageReceiver,
  registrationUuid: string,
): Promise<string> => {
  const rights = await loadRights(database, receiver);
  await deciding.run(registrationUuid, () =>
    decideRest(database, receiver, { registrationUuid, rights, status: null }),
  );
  return rights;
};

interface WaitingCount {
  readonly registration_uuid: string;
  readonly seen: bigint;
  readonly undecided: bigint;
}

/** Numbers of waiting messages whose changes the receiver may see now, by registration. */
export const countWaiting = async (
  { database, deciding }: DecisionTools,
  receiver: MessageReceiver,
  registrationUuids: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const rights = await loadRights(database, receiver);
  const count = async (uuids: readonly string[]): Promise<readonly WaitingCount[]> => {
    const { rows } = await database.reads.query<WaitingCount>({
      name: 'notifications-count-waiting',
      text: `SELECT registration_uuid, count(*) FILTER (WHERE decided_for = $2 AND NOT hidden) AS seen,
               count(*) FILTER (WHERE decided_for IS DISTINCT FROM $2) AS undecided
             FROM notification_receiver JOIN notification_message m USING (registration_uuid)
             WHERE registration_uuid = ANY ($1::uuid[]) AND m.sequence > settled_upto AND m.status = 'QUEUED'
             GROUP BY registration_uuid`,
      values: [[...uuids], rights],
    });
    return rows;
  };
  const counts = await count(registrationUuids);
  const undecided = counts.filter((row) => row.undecided > 0n).map((row) => row.registration_uuid);
  for (const registrationUuid of undecided) {
    await deciding.run(registrationUuid, () =>
      decideRest(database, receiver, { registrationUuid, rights, status: 'QUEUED' }),
    );
  }
  const again = undecided.length === 0 ? [] : await count(undecided);
  return new Map([...counts, ...again].map((row) => [row.registration_uuid, Number(row.seen)]));
};

/** Does the registration have the message, and may the receiver see its change now? */
export const hasSeenMessage = async (
  database: Pick<Database, 'reads'>,
  receiver: MessageReceiver,
  registrationUuid: string,
  messageUuid: string,
): Promise<boolean> => {
  if (!isUuid(messageUuid)) return false;
  const { rows } = await database.reads.query<UndecidedMessage>(
    `SELECT c.*, m.uuid AS message_uuid, m.sequence FROM notification_message m JOIN change_log c USING (position)
     WHERE m.registration_uuid = $1 AND m.uuid = $2`,
    [registrationUuid, messageUuid],
  );
  return (await decide(database, receiver, rows)).includes(true);
};
