import type { Principal } from '@fds/auth';
import { seeChange, toMetadataMessage } from '@fds/change-events';
import type { Database, LoggedChange } from '@fds/database';
import { stringifyJson } from '@fds/json';
import type { WebhookSender } from '@fds/webhook-client';
import { afterFailure } from '../domain/delivery/after-attempt.js';
import type { Attempt, Settlement } from '../domain/delivery/delivery-result.js';
import { loadBatch, type Batch, type BatchSource, type QueuedMessage } from '../store/deliveries/load-batch.js';
import type { Leases } from '../store/queue/lease.js';
import { openSubjects } from '../store/open-subjects.js';
import type { HostGate } from './create-host-gate.js';
import { createResultWriter, type ResultWriter } from './create-result-writer.js';

export interface DelivererOptions extends BatchSource {
  readonly database: Database;
  readonly sender: WebhookSender;
  readonly leases: Leases;
  /** Id of this process, which owns the leases. */
  readonly owner: string;
  /** Returns a user with their current permissions; undefined when unknown or deactivated. */
  readonly findUser: (userUuid: string) => Promise<Principal | undefined>;
  /** Address of the service that clients see. */
  readonly baseUrl: string;
  /** Delays before the second and later attempts, in milliseconds. */
  readonly schedule: readonly number[];
  /** Longest time between two writes of results while messages are sent, in milliseconds. */
  readonly saveMs: number;
  /** Places of hosts, shared by all receivers of this process. */
  readonly gate: HostGate;
}

/** Sends the queue of one receiver in order. */
export interface Deliverer {
  /**
   * Sends until no message waits, an attempt fails, or the signal aborts. Does nothing when another process sends to
   * the receiver. Then it serves receivers of the same host that were waiting for a place.
   *
   * @returns registrations that stopped because of the signal, and may have waiting messages
   * @throws the database's error. The queue is then in the state of the last write
   */
  deliver(registrationUuid: string, signal: AbortSignal): Promise<readonly string[]>;
}

const nothingKnown = { version: undefined, adaptorZoneUuid: undefined };

/** Sending to one receiver, from taking the lease to the end. */
interface Session {
  readonly registrationUuid: string;
  readonly signal: AbortSignal;
  readonly writer: ResultWriter;
  /** Host at which the session has a place. */
  origin: string | undefined;
  /** Failed attempts of the next message; undefined when the first batch determines them. */
  failures: number | undefined;
  /** Sequence of the last settled message. */
  after: bigint;
}

/** `more`: there may be further messages. `ended`: no message can be sent now. `interrupted`: the signal aborted. */
type BatchEnd = 'more' | 'ended' | 'interrupted';

export const createDeliverer = (options: DelivererOptions): Deliverer => {
  const { database, sender, leases, gate, findUser, baseUrl, schedule, now } = options;

  const send = async (
    { content, secrets }: Batch,
    { uuid, attempts, traceparent }: QueuedMessage,
    change: LoggedChange,
    signal: AbortSignal,
  ): Promise<Attempt> => {
    const date = now();
    const outcome = await sender.send({
      url: content.callback,
      headers: content.httpHeaders,
      oauth2Registration: content.oauth2Registration,
      secrets,
      id: `msg_${uuid}`,
      timestamp: date,
      body: stringifyJson(toMetadataMessage(change, baseUrl)),
      traceparent,
      signal,
    });
    return { messageUuid: uuid, number: attempts + 1, date, outcome };
  };

  const settle = (session: Session, { uuid, sequence, bytes }: QueuedMessage, result: Settlement): void => {
    session.writer.settle({ messageUuid: uuid, sequence, bytes, ...result });
    session.failures = 0;
    session.after = sequence;
  };

  const fail = async (session: Session, message: QueuedMessage, failed: Attempt, failures: number): Promise<void> => {
    const { status, lastError, delayMs, isMessageOver } = afterFailure(failed.outcome, failures, schedule);
    if (isMessageOver) settle(session, message, { status: 'FAILED' });
    await session.writer.finish({
      failed,
      status: { status, lastError },
      failures: isMessageOver ? 0 : failures,
      nextAttempt: delayMs === undefined ? undefined : new Date(now().getTime() + delayMs),
    });
  };

  const sendBatch = async (batch: Batch, user: Principal, session: Session): Promise<BatchEnd> => {
    const { signal, writer } = session;
    const subjects = await openSubjects(database).find(batch.messages.map(({ change }) => change));
    for (const [index, message] of batch.messages.entries()) {
      const seen = seeChange(user, message.change, subjects[index] ?? nothingKnown);
      if (seen === undefined) {
        settle(session, message, { status: 'WITHHELD' });
        continue;
      }
      const attempt = await send(batch, message, seen, signal);
      gate.note(batch.origin, attempt.outcome);
      const isDelivered = attempt.outcome.kind === 'DELIVERED';
      // this process aborted the attempt, not the receiver
      if (signal.aborted && !isDelivered) return 'interrupted';
      if (!isDelivered) {
        await fail(session, message, attempt, (session.failures ?? batch.failures) + 1);
        return 'ended';
      }
      settle(session, message, { status: 'DELIVERED', attempt });
      if (signal.aborted) return 'interrupted';
      if (!(await writer.goOn())) return 'ended';
    }
    return 'more';
  };

  const refuse = { status: 'REFUSED', lastError: 'the user is deactivated' } as const;

  /** Takes a place at the host until the session ends. @returns false when nothing can be sent now */
  const enter = async (session: Session, { registrationUuid, origin }: Batch): Promise<boolean> => {
    if (session.origin === origin) return true;
    leave(session);
    const admission = gate.enter(origin, registrationUuid);
    if (admission.kind === 'WAIT') await leases.postpone(registrationUuid, new Date(admission.untilMs));
    if (admission.kind !== 'SEND') return false;
    session.origin = origin;
    return true;
  };
  const leave = (session: Session): void => {
    if (session.origin !== undefined) gate.leave(session.origin);
    session.origin = undefined;
  };

  /** Sends the next messages, or ends when the queue is empty. */
  const goOn = async (session: Session): Promise<BatchEnd> => {
    const { registrationUuid, writer } = session;
    const batch = await loadBatch(options, registrationUuid, session.after);
    if (batch === undefined) return 'ended';
    if (batch.messages.length > 0) {
      const user = await findUser(batch.userUuid);
      if (user !== undefined) return (await enter(session, batch)) ? sendBatch(batch, user, session) : 'ended';
      await writer.finish({ failed: undefined, status: refuse, failures: 0, nextAttempt: undefined });
      return 'ended';
    }
    if (!(await writer.finish()) || (await leases.release(registrationUuid))) return 'ended';
    // a message was queued in the meantime, or the counter is wrong
    await leases.recount(registrationUuid);
    return 'more';
  };

  const deliverAll = async (session: Session): Promise<BatchEnd> => {
    for (;;) {
      const end = await goOn(session);
      if (end === 'more') continue;
      await session.writer.finish();
      return end;
    }
  };

  /** @returns the end, and the host to which messages were sent */
  const deliverOne = async (registrationUuid: string, signal: AbortSignal) => {
    if (signal.aborted) return { end: 'interrupted', origin: undefined } as const;
    if (!(await leases.acquire(registrationUuid))) return { end: 'ended', origin: undefined } as const;
    const writer = createResultWriter({ ...options, registrationUuid });
    const session: Session = { registrationUuid, signal, writer, origin: undefined, failures: undefined, after: 0n };
    try {
      const end = await deliverAll(session);
      return { end, origin: session.origin };
    } finally {
      leave(session);
      await leases.drop(registrationUuid);
    }
  };

  return {
    deliver: async (registrationUuid, signal) => {
      const interrupted: string[] = [];
      let origin: string | undefined;
      for (let next: string | undefined = registrationUuid; next !== undefined;) {
        const done: Awaited<ReturnType<typeof deliverOne>> = await deliverOne(next, signal);
        if (done.end === 'interrupted') interrupted.push(next);
        origin = done.origin ?? origin;
        next = origin === undefined ? undefined : gate.next(origin);
      }
      return interrupted;
    },
  };
};
