import { settings } from '@fds/service';

/** Requests to receivers of webhooks. */
export const webhookSettings = {
  webhookAllowPrivate: settings.boolean(
    'FDS_WEBHOOK_ALLOW_PRIVATE',
    'Send webhooks to private, loopback and link-local addresses too. For development, and for receivers in the same private network.',
    false,
  ),
  webhookTimeoutMs: settings.integer(
    'FDS_WEBHOOK_TIMEOUT_MS',
    'Longest time of one attempt to deliver a webhook, with its access token.',
    15_000,
    { min: 100, max: 120_000 },
  ),
  webhookMaxRequests: settings.integer(
    'FDS_WEBHOOK_MAX_REQUESTS',
    'Webhook requests that a process has under way at the same time.',
    128,
    { min: 1, max: 10_000 },
  ),
  webhookMaxReceiverRequests: settings.integer(
    'FDS_WEBHOOK_MAX_RECEIVER_REQUESTS',
    'Webhook requests to one receiver that a process has under way at the same time.',
    8,
    { min: 1, max: 1000 },
  ),
  webhookRetrySeconds: settings.integers(
    'FDS_WEBHOOK_RETRY_SECONDS',
    'Waits before the attempts that follow a failed one, in seconds, separated by commas. After the last one the registration is disabled, or the adaptor waits until it is asked.',
    [5, 300, 1800, 7200, 18_000, 36_000, 36_000],
    { min: 0, max: 604_800, maxItems: 20 },
  ),
} as const;
