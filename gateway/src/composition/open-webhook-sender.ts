import { inSpan, type Lifetime } from '@fds/service';
import {
  createWebhookSender,
  everyTarget,
  publicTargets,
  type TargetRule,
  type WebhookSender,
} from '@fds/webhook-client';
import type { ServiceMetrics } from '../http/service-metrics.js';
import type { ServiceSettings } from './settings/service-settings.js';

/** The addresses to which this service may post. */
export const webhookTargetsOf = ({ webhookAllowPrivate }: ServiceSettings): TargetRule =>
  webhookAllowPrivate ? everyTarget : publicTargets;

/** The sender of webhooks of this process. */
export const openWebhookSender = (
  settings: ServiceSettings,
  { lifetime, metrics }: { readonly lifetime: Lifetime; readonly metrics: ServiceMetrics },
): WebhookSender => {
  const sender = lifetime.own(
    createWebhookSender({
      rule: webhookTargetsOf(settings),
      timeoutMs: settings.webhookTimeoutMs,
      maxRequests: settings.webhookMaxRequests,
      maxReceiverRequests: settings.webhookMaxReceiverRequests,
      onBusy: () => metrics.countBoundHit('webhook_requests'),
    }),
  );
  return {
    ...sender,
    send: async (request) => {
      const { traceparent: parent } = request;
      const outcome =
        parent === undefined
          ? await sender.send(request)
          : await inSpan(
              { name: 'POST', kind: 'CLIENT', parent, attributes: { 'http.request.method': 'POST' } },
              (span) => sender.send({ ...request, traceparent: span?.traceparent ?? parent }),
              ({ kind }) => (kind === 'DELIVERED' ? undefined : kind),
            );
      metrics.traffic.countWebhook(outcome.kind);
      return outcome;
    },
  };
};
