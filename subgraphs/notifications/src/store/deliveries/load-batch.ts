import type { Sealer } from '@fds/auth';
import { toLoggedChange, type ChangeRow, type Database, type LoggedChange } from '@fds/database';
import { joinCredentials } from '../../domain/registration/credentials.js';
import type { RegistrationContent } from '../../domain/registration/registration.js';
import { toContent } from '../registrations/registration-rows.js';
import { unsealCredentials } from '../registrations/seal-credentials.js';

/** A waiting message. */
export interface QueuedMessage {
  readonly uuid: string;
  /** Number of requests with this message so far. */
  readonly attempts: number;
  readonly bytes: number;
  /** Position in the queue. */
  readonly sequence: bigint;
  /** W3C trace context of the change, where its trace is recorded. */
  readonly traceparent: string | undefined;
  readonly change: LoggedChange;
}

/** The next messages for a receiver, with its registration. */
export interface Batch {
  readonly registrationUuid: string;
  readonly userUuid: string;
  /** With secrets in clear. */
  readonly content: RegistrationContent;
  /** Scheme, host and port of the receiver. */
  readonly origin: string;
  /** Signing secrets, the newest first. */
  readonly secrets: readonly string[];
  /** Failed attempts of the first message since it was queued. */
  readonly failures: number;
  /** The first messages of the queue. */
  readonly messages: readonly QueuedMessage[];
}

interface RegistrationRow {
  readonly user_uuid: string;
  readonly callback: string;
  readonly events: string;
  readonly http_headers: string;
  readonly oauth2_registration: string | null;
  readonly sealed_credentials: string | null;
  readonly sealed_secret: string;
  readonly sealed_previous: string | null;
  readonly failures: number;
  readonly settled_upto: bigint;
}

interface MessageRow extends ChangeRow {
  readonly sequence: bigint;
  readonly uuid: string;
  readonly attempts: number;
  readonly bytes: number;
  readonly traceparent: string | null;
}

export interface BatchSource {
  readonly database: Pick<Database, 'pool'>;
  readonly sealer: Sealer;
  readonly now: () => Date;
  /** Most messages of a batch. */
  readonly size: number;
}

/** A batch ends with the message with which it reaches this size. */
const maxBytes = 2 ** 20;

/**
 * The first messages of a queue. Undefined when the registration no longer exists, or its messages are not sent.
 *
 * @param after sequence of the last settled message, which may not be written yet
 */
export const loadBatch = async (
  { database: { pool }, sealer, now, size }: BatchSource,
  registrationUuid: string,
  after = 0n,
): Promise<Batch | undefined> => {
  const { rows } = await pool.query<RegistrationRow>({
    name: 'notifications-batch-registration',
    text: `SELECT user_uuid, callback, events, http_headers, oauth2_registration, sealed_credentials, sealed_secret,
             CASE WHEN previous_secret_until > $2 THEN sealed_previous END AS sealed_previous, failures,
             settled_upto
           FROM notification_registration JOIN notification_receiver ON registration_uuid = uuid
           WHERE uuid = $1 AND status IN ('ACTIVE', 'FAILING')`,
    values: [registrationUuid, now()],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const messages = await pool.query<MessageRow>({
    name: 'notifications-batch-messages',
    text: `SELECT m.uuid, m.attempts, m.bytes, m.sequence, c.*
           FROM (SELECT uuid, attempts, bytes, position, sequence, sum(bytes) OVER (ORDER BY sequence) - bytes AS before
                 FROM (SELECT * FROM notification_message WHERE registration_uuid = $1 AND sequence > $4
                         AND status = 'QUEUED' ORDER BY sequence LIMIT $2) AS queued) AS m
           JOIN change_log c USING (position) WHERE before < $3 ORDER BY sequence`,
    values: [registrationUuid, size, maxBytes, after > row.settled_upto ? after : row.settled_upto],
  });
  const content = toContent({
    callback: row.callback,
    events: row.events,
    httpHeaders: row.http_headers,
    oauth2Registration: row.oauth2_registration,
  });
  const secrets = [row.sealed_secret, row.sealed_previous].filter((sealed) => sealed !== null);
  return {
    registrationUuid,
    userUuid: row.user_uuid,
    origin: new URL(row.callback).origin,
    content: joinCredentials(content, unsealCredentials(sealer, row.sealed_credentials)),
    secrets: secrets.map((sealed) => sealer.unseal(sealed)),
    failures: row.failures,
    messages: messages.rows.map((message) => ({
      uuid: message.uuid,
      attempts: message.attempts,
      bytes: message.bytes,
      sequence: message.sequence,
      traceparent: message.traceparent ?? undefined,
      change: toLoggedChange(message),
    })),
  };
};
