import type { AdaptorError, LinkReport } from '@fds/adaptor-protocol';
import type { WebhookSender, WebhookTarget } from '@fds/webhook-client';
import { readWebhookMessage, type WebhookMessage } from '../domain/webhooks/webhook-message.js';
import { judgeAttempt } from '../domain/webhooks/webhook-verdict.js';
import type { WebhookOutletDependencies } from '../relay/create-webhook-outlet.js';
import type { AdaptorMessage } from '../../issues/settlement/uuid-of-message.js';

export interface WebhookDelivery {
  readonly adaptorUuid: string;
  /** The target at this moment; undefined when the metadata has a fault. */
  readonly target: () => WebhookTarget | undefined;
  readonly sender: Pick<WebhookSender, 'send'>;
  /** Commits a link that the delivery makes or ends. */
  readonly confirm: (adaptorUuid: string, report: LinkReport) => Promise<void>;
  /** Makes the data issue of a message that the receiver refuses. Repeated, it makes no second one. */
  readonly takeError: (adaptorUuid: string, error: AdaptorError, message: AdaptorMessage) => Promise<void>;
  readonly schedule: readonly number[];
  readonly now: () => Date;
}

/** The link of a delivered message, as an adaptor on the bus reports it. */
const linkOf = ({ action, domain, version, drUuid }: WebhookMessage): LinkReport | undefined =>
  action === 'PUT'
    ? undefined
    : { links: [{ action: action === 'POST' ? 'LINK' : 'UNLINK', domain, version, drUuid }] };

/**
 * Delivers messages of one webhook adaptor. The link is committed before the message counts as done, and so is the issue of a
 * message that the receiver refuses: a process that dies in between delivers the message again under the same id.
 */
export const createWebhookDelivery = (dependencies: WebhookDelivery): WebhookOutletDependencies['deliver'] => {
  const { adaptorUuid, target, sender, confirm, takeError, schedule, now } = dependencies;
  return async ({ message: content, traceparent }, { number, sequence }, attempts, signal) => {
    const receiver = target();
    if (receiver === undefined || content === null) return { kind: 'RETRY', afterMs: 1000, detail: 'no target' };
    const message = readWebhookMessage(content);
    const id = `msg_${adaptorUuid}_${number}`;
    const outcome = await sender.send({ ...receiver, id, timestamp: now(), body: message.body, traceparent, signal });
    const verdict = judgeAttempt(outcome, attempts + 1, schedule);
    if (verdict.kind === 'DONE') {
      const link = linkOf(message);
      if (link !== undefined) await confirm(adaptorUuid, link);
      return verdict;
    }
    if (verdict.kind !== 'REFUSED') return verdict;
    const { drUuid, transactionUuid, createTime } = message;
    await takeError(
      adaptorUuid,
      { level: 'ERROR', kind: 'DATA', message: verdict.detail, drUuid, transactionUuid, sequence },
      { id, time: new Date(createTime) },
    );
    return { kind: 'DONE' };
  };
};
