import type { Lifetime } from '@fds/service';
import {
  createWebhookSender,
  everyTarget,
  publicTargets,
  type TargetRule,
  type WebhookSender,
} from '@fds/webhook-client';
import type { CountBoundHit } from '../http/bounds.js';
import type { ServiceSettings } from './settings/service-settings.js';

/** The addresses to which this service may post. */
export const webhookTargetsOf = ({ webhookAllowPrivate }: ServiceSettings): TargetRule =>
  webhookAllowPrivate ? everyTarget : publicTargets;

/** The sender of webhooks of this process. */
export const openWebhookSender = (
  settings: ServiceSettings,
  { lifetime, onBoundHit }: { readonly lifetime: Lifetime; readonly onBoundHit: CountBoundHit },
): WebhookSender =>
  lifetime.own(
    createWebhookSender({
      rule: webhookTargetsOf(settings),
      timeoutMs: settings.webhookTimeoutMs,
      maxRequests: settings.webhookMaxRequests,
      maxReceiverRequests: settings.webhookMaxReceiverRequests,
      onBusy: () => onBoundHit('webhook_requests'),
    }),
  );
