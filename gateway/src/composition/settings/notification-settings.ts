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
  notificationTotalBytes: settings.integer(
    'FDS_NOTIFICATION_TOTAL_BYTES',
    'The same for the registrations of all users together, which every process that delivers keeps in memory.',
    67_108_864,
    { min: 1024, max: 4_294_967_296 },
  ),
  notificationQueueMessages: settings.integer(
    'FDS_NOTIFICATION_QUEUE_MESSAGES',
    'Most messages that wait for a receiver. One more disables its registration; redelivery can send the rest later.',
    100_000,
    { min: 1, max: 100_000_000 },
  ),
  notificationQueueBytes: settings.integer(
    'FDS_NOTIFICATION_QUEUE_BYTES',
    'The same for the bytes of their data.',
    67_108_864,
    { min: 1024, max: 17_179_869_184 },
  ),
  notificationRetentionDays: settings.integer(
    'FDS_NOTIFICATION_RETENTION_DAYS',
    'Days for which the delivery log keeps a message after it was delivered or given up. 0 = for ever.',
    30,
    { min: 0, max: 36_500 },
  ),
  webhookReceivers: settings.integer(
    'FDS_WEBHOOK_RECEIVERS',
    'Receivers to which a process sends at the same time, without those that answer slowly.',
    10,
    { min: 1, max: 1000 },
  ),
  webhookSlowReceivers: settings.integer(
    'FDS_WEBHOOK_SLOW_RECEIVERS',
    'Receivers that answer slowly and to which a process sends at the same time.',
    100,
    { min: 1, max: 10_000 },
  ),
  webhookLeaseSeconds: settings.integer(
    'FDS_WEBHOOK_LEASE_SECONDS',
    'Time after which the receivers of a process that was killed are sent to again.',
    10,
    { min: 1, max: 3600 },
  ),
  webhookSecretHours: settings.integer(
    'FDS_WEBHOOK_SECRET_HOURS',
    'Hours in which messages are signed with a replaced signing secret in addition to the new one.',
    24,
    { min: 0, max: 8760 },
  ),
} as const;
