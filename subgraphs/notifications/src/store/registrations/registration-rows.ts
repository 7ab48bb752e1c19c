import type { EventEntry } from '@fds/change-events';
import type { PrismaTransaction } from '@fds/database';
import type { OAuth2Registration, WebhookHeader } from '@fds/webhook-client';
import type {
  RegistrationContent,
  RegistrationStatus,
  ShownRegistration,
} from '../../domain/registration/registration.js';

/** A row of the table. */
export type RegistrationRow = NonNullable<
  Awaited<ReturnType<PrismaTransaction['notificationRegistration']['findUnique']>>
>;

/** The content of a row with masks in place of secrets. */
export const toContent = ({
  callback,
  events,
  httpHeaders,
  oauth2Registration,
}: Pick<RegistrationRow, 'callback' | 'events' | 'httpHeaders' | 'oauth2Registration'>): RegistrationContent => ({
  callback,
  callbackType: 'WEB_HOOK',
  events: JSON.parse(events) as EventEntry[],
  httpHeaders: JSON.parse(httpHeaders) as WebhookHeader[],
  oauth2Registration: oauth2Registration === null ? null : (JSON.parse(oauth2Registration) as OAuth2Registration),
});

/** The columns of a registration's content. */
export const toColumns = ({
  callback,
  callbackType,
  events,
  httpHeaders,
  oauth2Registration,
}: RegistrationContent) => ({
  callback,
  callbackType,
  events: JSON.stringify(events),
  httpHeaders: JSON.stringify(httpHeaders),
  oauth2Registration: oauth2Registration === null ? null : JSON.stringify(oauth2Registration),
});

/** Columns of answers, for raw SQL. */
export const shownColumns = `uuid, user_uuid AS "userUuid", callback, events, http_headers AS "httpHeaders",
  oauth2_registration AS "oauth2Registration", status, last_delivery AS "lastDelivery", last_error AS "lastError",
  date_created AS "dateCreated", last_updated AS "lastUpdated"`;

/** A row with `shownColumns`. */
export type ShownRow = Pick<
  RegistrationRow,
  | 'uuid'
  | 'userUuid'
  | 'callback'
  | 'events'
  | 'httpHeaders'
  | 'oauth2Registration'
  | 'status'
  | 'lastDelivery'
  | 'lastError'
  | 'dateCreated'
  | 'lastUpdated'
>;

export const toShown = (row: ShownRow): ShownRegistration => ({
  notificationId: row.uuid,
  userUuid: row.userUuid,
  ...toContent(row),
  status: row.status as RegistrationStatus,
  lastDelivery: row.lastDelivery,
  lastError: row.lastError,
  dateCreated: row.dateCreated,
  lastUpdated: row.lastUpdated,
});
