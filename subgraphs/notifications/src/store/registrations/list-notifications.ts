import type { Queryable } from '@fds/database';
import { readPage, type Paged, type PageRequest } from '@fds/graphql';
import type { EventEntry } from '@fds/change-events';
import type { ShownRegistration } from '../../domain/registration/registration.js';
import { toContent } from './registration-rows.js';

/** A registration or an open websocket in a list. */
export interface ListedNotification extends Omit<ShownRegistration, 'callback' | 'callbackType'> {
  readonly callback: string | null;
  readonly callbackType: 'WEB_HOOK' | 'WEB_SOCKET';
  /** Whether a generated signing secret exists that no answer has shown. */
  readonly secretUnseen: boolean;
  readonly waitingMessages: number;
  /** When the first of these messages is tried again; null when that is not later than now. */
  readonly nextAttempt: Date | null;
  readonly subscriptions: readonly string[];
}

interface Row {
  readonly uuid: string;
  readonly user_uuid: string;
  readonly callback: string | null;
  readonly callback_type: 'WEB_HOOK' | 'WEB_SOCKET';
  readonly events: string;
  readonly http_headers: string;
  readonly oauth2_registration: string | null;
  readonly secret_unseen: boolean;
  readonly status: ShownRegistration['status'];
  readonly last_delivery: Date | null;
  readonly last_error: string | null;
  readonly date_created: Date;
  readonly last_updated: Date;
  readonly waiting_messages: number;
  readonly next_attempt: Date | null;
  readonly subscriptions: string | null;
}

/** The row of a websocket's subscription. */
export interface SocketSubscription {
  readonly name: string;
  readonly events: readonly EventEntry[];
}

const toListed = (row: Row): Omit<ListedNotification, 'waitingMessages'> => {
  const subscriptions = row.subscriptions === null ? [] : (JSON.parse(row.subscriptions) as SocketSubscription[]);
  return {
    notificationId: row.uuid,
    userUuid: row.user_uuid,
    ...toContent({
      callback: row.callback ?? '',
      events: row.events,
      httpHeaders: row.http_headers,
      oauth2Registration: row.oauth2_registration,
    }),
    ...(row.callback_type === 'WEB_HOOK' ? {} : { events: subscriptions.flatMap(({ events }) => events) }),
    callback: row.callback,
    callbackType: row.callback_type,
    secretUnseen: row.secret_unseen,
    status: row.status,
    lastDelivery: row.last_delivery,
    lastError: row.last_error,
    dateCreated: row.date_created,
    lastUpdated: row.last_updated,
    nextAttempt: row.next_attempt,
    subscriptions: subscriptions.map(({ name }) => name),
  };
};

// a socket of a killed process is no longer listed after its lease has ended
const listed = `
  SELECT uuid, user_uuid, callback, callback_type, events, http_headers, oauth2_registration, secret_unseen, status,
    last_delivery, last_error, date_created, last_updated, queued_messages AS waiting_messages,
    CASE WHEN status IN ('ACTIVE', 'FAILING') AND next_attempt > $3 THEN next_attempt END AS next_attempt, NULL AS subscriptions
  FROM notification_registration JOIN notification_receiver ON registration_uuid = uuid WHERE user_uuid = $1
  UNION ALL
  SELECT uuid, user_uuid, NULL, 'WEB_SOCKET', '[]', '[]', NULL, false, 'ACTIVE',
    NULL, NULL, date_created, date_created, 0, NULL, subscriptions
  FROM notification_socket WHERE user_uuid = $1 AND leased_until > $3`;

const ofType = `FROM (${listed}) AS listed WHERE $2::text IS NULL OR callback_type = $2`;

export interface NotificationListing {
  readonly userUuid: string;
  /** Undefined means every type. */
  readonly type: string | undefined;
  readonly page: PageRequest;
  readonly now: Date;
}

/**
 * A page of the registrations and websockets of a user, the oldest first.
 *
 * @param countWaiting numbers of waiting messages that the user may see, by registration
 */
export const listNotifications = (
  session: Queryable,
  { userUuid, type, page, now }: NotificationListing,
  countWaiting: (registrationUuids: readonly string[]) => Promise<ReadonlyMap<string, number>>,
): Promise<Paged<ListedNotification>> => {
  const values = [userUuid, type ?? null, now];
  return readPage(
    page,
    async () => {
      const { rows } = await session.query<{ count: bigint }>(`SELECT count(*) AS count ${ofType}`, values);
      return Number(rows[0]?.count ?? 0n);
    },
    async ({ skip, take }) => {
      const order = 'ORDER BY date_created, uuid OFFSET $4 LIMIT $5';
      const { rows } = await session.query<Row>(`SELECT * ${ofType} ${order}`, [...values, skip, take]);
      const waiting = rows.filter((row) => row.waiting_messages > 0).map(({ uuid }) => uuid);
      const counts = waiting.length === 0 ? undefined : await countWaiting(waiting);
      return rows.map((row) => ({ ...toListed(row), waitingMessages: counts?.get(row.uuid) ?? 0 }));
    },
  );
};
