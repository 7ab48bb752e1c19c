import { settings } from '@fds/service';

/** Registrations, and the delivery of messages to their receivers. */
export const notificationSettings = {
  notificationsEnabled: settings.boolean(
    'FDS_NOTIFICATIONS_ENABLED',
    'Notify receivers of changes. Registrations can be made in any case. Changes made while it is false are not notified later.',
    true,
  ),
  notificationsPerUser: settings.integer(
    'FDS_NOTIFICATIONS_PER_USER',
    'Most registrations of a user. One more is answered 400.',
    100,
    { min: 1, max: 1_000_000 },
  ),
  notificationMaxBytes: settings.integer(
    'FDS_NOTIFICATION_MAX_BYTES',
    'Most bytes of the events, headers and OAuth 2.0 client of a registration. A larger one is answered 400.',
    65_536,
    { min: 1024, max: 1_048_576 },
  ),
  webhookSecretHours: settings.integer(
    'FDS_WEBHOOK_SECRET_HOURS',
    'Hours in which messages are signed with a replaced signing secret in addition to the new one.',
    24,
    { min: 0, max: 8760 },
  ),
} as const;
