import type { SqlSession } from '@fds/database';
import type { FailedAttempts } from '../domain/webhooks/receiver-state.js';
import { loadWebhookFailure, removeWebhookFailure, saveWebhookFailure } from '../store/webhook-failure.js';

/** The failed attempts of webhook adaptors, where the next process finds them. */
export interface KeptFailures {
  /** Those with this revision of the metadata; the wait is what is left of it. */
  load(adaptorUuid: string, revision: string): Promise<FailedAttempts | undefined>;
  save(adaptorUuid: string, revision: string, failed: FailedAttempts): Promise<void>;
  remove(adaptorUuid: string): Promise<void>;
}

export const createKeptFailures = (session: SqlSession, now: () => Date): KeptFailures => ({
  load: async (adaptorUuid, revision) => {
    const failure = await loadWebhookFailure(session, adaptorUuid, revision);
    if (failure === undefined) return undefined;
    const { failures, notBefore, detail } = failure;
    const afterMs = notBefore === null ? Infinity : Math.max(0, notBefore.getTime() - now().getTime());
    return { failures, afterMs, detail };
  },
  save: async (adaptorUuid, revision, { failures, afterMs, detail }) => {
    const notBefore = afterMs === Infinity ? null : new Date(now().getTime() + afterMs);
    await saveWebhookFailure(session, adaptorUuid, revision, { failures, notBefore, detail });
  },
  remove: (adaptorUuid) => removeWebhookFailure(session, adaptorUuid),
});
