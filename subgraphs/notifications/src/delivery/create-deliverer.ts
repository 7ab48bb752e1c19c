import type { Principal } from '@fds/auth';
import { seeChange, toMetadataMessage } from '@fds/change-events';
import type { Database } from '@fds/database';
import { stringifyJson } from '@fds/json';
import type { WebhookOutcome, WebhookSender } from '@fds/webhook-client';
import { afterFailure } from '../domain/delivery/after-attempt.js';
import type { Attempt, SettledMessage } from '../domain/delivery/delivery-result.js';
import { loadBatch, type Batch, type BatchSource, type QueuedMessage } from '../store/deliveries/load-batch.js';
import { saveResults, type Results } from '../store/deliveries/save-results.js';
import type { Leases } from '../store/queue/lease.js';
import { openSubjects } from '../subscriptions/feed/open-subjects.js';

export interface DelivererOptions extends BatchSource {
  readonly database: Database;
  readonly sender: WebhookSender;
  readonly leases: Leases;
  /** This process, as the owner of leases. */
  readonly owner: string;
  /** A user with their present permissions; undefined: unknown or deactivated. */
  readonly findUser: (userUuid: string) => Promise<Principal | undefined>;
  /** Address of the service that clients see. */
  readonly baseUrl: string;
  /** Waits before the second and later attempts, in milliseconds. */
  readonly schedule: readonly number[];
  /** Results are written at least this often while messages are sent, in milliseconds. */
  readonly saveMs: number;
}

/** Sends the queue of one receiver, in its order. */
export interface Deliverer {
  /**
   * Sends until nothing waits, an attempt fails, or the signal aborts. Does nothing when another process sends to the receiver.
   *
   * @returns `interrupted`: the signal was the reason to stop, and messages may wait
   * @throws the database's error; the queue is as it was written last
   */
  deliver(registrationUuid: string, signal: AbortSignal): Promise<'ended' | 'interrupted'>;
}

const nothingKnown = { version: undefined, adaptorZoneUuid: undefined };

/** `more`: look for further messages. `ended`: nothing can be sent now. `interrupted`: by the signal. */
type BatchEnd = 'more' | 'ended' | 'interrupted';

export const createDeliverer = (options: DelivererOptions): Deliverer => {
  const { database, sender, leases, owner, findUser, baseUrl, schedule, saveMs, now } = options;

  const send = (
    { content, secrets }: Batch,
    { uuid }: QueuedMessage,
    body: string,
    signal: AbortSignal,
  ): Promise<WebhookOutcome> =>
    sender.send({
      url: content.callback,
      headers: content.httpHeaders,
      oauth2Registration: content.oauth2Registration,
      secrets,
      id: `msg_${uuid}`,
      timestamp: now(),
      body,
      signal,
    });

  const sendBatch = async (batch: Batch, user: Principal, signal: AbortSignal): Promise<BatchEnd> => {
    const { registrationUuid, messages } = batch;
    const subjects = await openSubjects(database).find(messages.map(({ change }) => change));
    let attempts: Attempt[] = [];
    let settled: SettledMessage[] = [];
    let { failures } = batch;
    let savedAt = now().getTime();

    const save = async (more: Partial<Pick<Results, 'status' | 'nextAttempt'>> = {}): Promise<boolean> => {
      const isDelivered = attempts.some(({ outcome }) => outcome.kind === 'DELIVERED');
      const results: Results = {
        registrationUuid,
        attempts,
        settled,
        status: isDelivered ? { status: 'ACTIVE', lastError: null } : undefined,
        failures,
        nextAttempt: undefined,
        ...more,
      };
      [attempts, settled, savedAt] = [[], [], now().getTime()];
      return saveResults(database, results, owner, now());
    };

    for (const [index, message] of messages.entries()) {
      const seen = seeChange(user, message.change, subjects[index] ?? nothingKnown);
      const settle = (status: SettledMessage['status']): void => {
        settled.push({ messageUuid: message.uuid, bytes: message.bytes, status });
        failures = 0;
      };
      if (seen === undefined) {
        settle('WITHHELD');
        continue;
      }
      const date = now();
      const body = stringifyJson(toMetadataMessage(seen, baseUrl));
      const outcome = await send(batch, message, body, signal);
      // the attempt was cut off by this process, not by the receiver
      if (signal.aborted && outcome.kind !== 'DELIVERED') break;
      attempts.push({ messageUuid: message.uuid, number: message.attempts + 1, date, outcome });
      if (outcome.kind !== 'DELIVERED') {
        failures += 1;
        const { status, lastError, delayMs, isMessageOver } = afterFailure(outcome, failures, schedule);
        if (isMessageOver) settle('FAILED');
        const nextAttempt = delayMs === undefined ? undefined : new Date(now().getTime() + delayMs);
        await save({ status: { status, lastError }, nextAttempt });
        return 'ended';
      }
      settle('DELIVERED');
      if (signal.aborted) break;
      if (now().getTime() - savedAt >= saveMs && !(await save())) return 'ended';
    }
    if (!(await save())) return 'ended';
    return signal.aborted ? 'interrupted' : 'more';
  };

  const refuse = (registrationUuid: string): Promise<boolean> =>
    saveResults(
      database,
      {
        registrationUuid,
        attempts: [],
        settled: [],
        status: { status: 'REFUSED', lastError: 'the user is deactivated' },
        failures: 0,
        nextAttempt: undefined,
      },
      owner,
      now(),
    );

  const deliverAll = async (registrationUuid: string, signal: AbortSignal): Promise<'ended' | 'interrupted'> => {
    for (;;) {
      const batch = await loadBatch(options, registrationUuid);
      if (batch === undefined) return 'ended';
      if (batch.messages.length > 0) {
        const user = await findUser(batch.userUuid);
        if (user === undefined) {
          await refuse(registrationUuid);
          return 'ended';
        }
        const end = await sendBatch(batch, user, signal);
        if (end !== 'more') return end;
      } else {
        if (await leases.release(registrationUuid)) return 'ended';
        // a message was queued in between, or the counter is wrong
        await leases.recount(registrationUuid);
      }
    }
  };

  return {
    deliver: async (registrationUuid, signal) => {
      if (signal.aborted) return 'interrupted';
      if (!(await leases.acquire(registrationUuid))) return 'ended';
      try {
        return await deliverAll(registrationUuid, signal);
      } finally {
        await leases.drop(registrationUuid);
      }
    },
  };
};
