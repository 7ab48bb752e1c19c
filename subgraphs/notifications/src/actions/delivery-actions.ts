import type { Principal } from '@fds/auth';
import { compileEvents, mayReceive, notifiedTypes, type EventEntry } from '@fds/change-events';
import { inTransaction, listChanges, loadSettledHead, logChange } from '@fds/database';
import { AppError, type FaultList } from '@fds/errors';
import type { Paged, PageRequest } from '@fds/graphql';
import { isUuid, stringifyJson } from '@fds/json';
import { createWebhookSecret } from '@fds/webhook-client';
import type { QueueBounds } from '../store/queue/enqueue.js';
import type { WantedChange } from '../store/queue/insert-messages.js';
import { toLoggedRegistration } from '../store/registrations/log-registration.js';
import { toShown, type RegistrationRow } from '../store/registrations/registration-rows.js';
import type { NotificationTools } from '../store/notification-tools.js';
import { openSubjects } from '../store/open-subjects.js';
import { decidedFor, hasSeenMessage, type DecisionTools } from '../store/deliveries/decide-messages.js';
import { listMessages, type MessageFilter, type ShownMessage } from '../store/deliveries/message-log.js';
import { requeueChanges, requeueMessage } from '../store/deliveries/requeue.js';
import { skipMessage } from '../store/deliveries/skip-message.js';

/** Selects a message, or a time range. */
export interface RedeliveryInput {
  readonly messageUuid?: string | null;
  readonly from?: Date | null;
  readonly to?: Date | null;
}

/** The messages of a user's registrations. A registration of another user is NOT_FOUND. */
export interface DeliveryActions {
  list(
    notificationId: string,
    principal: Principal,
    filter: MessageFilter,
    page: PageRequest,
  ): Promise<Paged<ShownMessage>>;
  /**
   * @returns number of messages that wait again
   * @throws AppError CONFLICT when nothing is sent, VALIDATION_FAILED, NOT_FOUND
   */
  redeliver(notificationId: string, principal: Principal, input: RedeliveryInput, faults: FaultList): Promise<number>;
  /**
   * Removes a waiting message from its queue. The next one follows.
   *
   * @throws AppError NOT_FOUND, CONFLICT when the message does not wait, or a process is sending from the queue
   */
  skip(notificationId: string, principal: Principal, messageUuid: string): Promise<void>;
  /** Replaces the signing secret by a generated one. @returns the new secret */
  renewSecret(notificationId: string, principal: Principal): Promise<string>;
}

export interface DeliveryActionsOptions extends NotificationTools, DecisionTools {
  readonly database: NotificationTools['database'];
  readonly queueBounds: QueueBounds;
  /** Resolves when receivers can be woken. @throws AppError CONFLICT when notifications are switched off */
  readonly prepare: () => Promise<void>;
}

/** Most messages that one redelivery of a time range sends. */
const maxMessages = 10_000;
const pageSize = 500;
const pageBytes = 8 * 2 ** 20;

const tooMany = (): AppError<'VALIDATION_FAILED'> => {
  const detail = `the range has more than ${maxMessages} messages`;
  return new AppError('VALIDATION_FAILED', detail, { errors: [{ pointer: '/from', code: 'TOO_MANY', detail }] });
};

const checkInput = ({ messageUuid, from, to }: RedeliveryInput, faults: FaultList): void => {
  const hasMessage = typeof messageUuid === 'string';
  if (hasMessage && (from instanceof Date || to instanceof Date)) {
    faults.add('/messageUuid', 'NOT_ALLOWED', 'messageUuid excludes from and to');
  } else if (!hasMessage && !(from instanceof Date)) {
    faults.add('/from', 'REQUIRED', 'messageUuid or from is required');
  }
  if (from instanceof Date && to instanceof Date && from >= to) {
    faults.add('/to', 'OUT_OF_RANGE', 'to must be later than from');
  }
};

export const createDeliveryActions = (options: DeliveryActionsOptions): DeliveryActions => {
  const { database, now, newUuid, sealer, queueBounds, prepare, secretOverlapMs } = options;

  const requireOwn = async (notificationId: string, { uuid: userUuid }: Principal): Promise<RegistrationRow> => {
    const row = isUuid(notificationId)
      ? await database.prisma.notificationRegistration.findFirst({ where: { uuid: notificationId, userUuid } })
      : null;
    if (row === null) throw new AppError('NOT_FOUND', 'you have no such registration');
    return row;
  };

  /** @throws AppError NOT_FOUND also where the user may not see the change now */
  const requireMessage = async (uuid: string, principal: Principal, messageUuid: string): Promise<void> => {
    if (await hasSeenMessage(database, principal, uuid, messageUuid)) return;
    throw new AppError('NOT_FOUND', 'the registration has no such message');
  };

  /** The changes of a time that the registration matches and that the user may see now. */
  const changesOf = async (
    { uuid: registrationUuid, events }: RegistrationRow,
    principal: Principal,
    { from, to }: { readonly from: Date; readonly to: Date | undefined },
  ): Promise<WantedChange[]> => {
    const session = database.searches.sessionOf({ key: principal.uuid });
    const subjects = openSubjects(database);
    const upTo = await loadSettledHead(session);
    const filter = compileEvents(JSON.parse(events) as EventEntry[]);
    const wanted: WantedChange[] = [];
    for (let after: bigint | undefined; ;) {
      const page = { order: 'OLDEST_FIRST', after, upTo, limit: pageSize, maxBytes: pageBytes } as const;
      const { changes, more } = await listChanges(session, { types: notifiedTypes, from, to }, page);
      const matching = changes.filter((change) => filter.matches(change));
      const found = await subjects.find(matching);
      for (const [index, change] of matching.entries()) {
        const subject = found[index];
        if (subject === undefined || !mayReceive(principal, change, subject)) continue;
        const { position, data } = change;
        const bytes = data === undefined ? 0 : Buffer.byteLength(stringifyJson(data));
        wanted.push({ uuid: newUuid(), registrationUuid, position, bytes, decidedFor: decidedFor(principal) });
      }
      if (wanted.length > maxMessages) throw tooMany();
      if (!more) return wanted;
      after = changes.at(-1)?.position;
    }
  };

  const requeue = async (
    row: RegistrationRow,
    { messageUuid, from, to }: RedeliveryInput,
    principal: Principal,
  ): Promise<number> => {
    if (typeof messageUuid === 'string') {
      await requireMessage(row.uuid, principal, messageUuid);
      const requeued = await database.transaction((client) =>
        requeueMessage(client, row.uuid, messageUuid, now(), queueBounds),
      );
      if (requeued === undefined) throw new AppError('NOT_FOUND', 'the registration has no such message');
      return requeued.messages;
    }
    const wanted = await changesOf(row, principal, { from: from ?? now(), to: to ?? undefined });
    return database.transaction(async (client) => {
      const { messages, overfull } = await requeueChanges(client, row.uuid, wanted, now(), queueBounds);
      // the transaction is rolled back
      if (overfull.length > 0) throw tooMany();
      return messages;
    });
  };

  return {
    list: async (notificationId, principal, filter, page) => {
      const { uuid } = await requireOwn(notificationId, principal);
      return listMessages(options, principal, uuid, filter, page);
    },
    redeliver: async (notificationId, principal, input, faults) => {
      checkInput(input, faults);
      const row = await requireOwn(notificationId, principal);
      faults.throwIfAny();
      if (row.status !== 'ACTIVE' && row.status !== 'FAILING') {
        throw new AppError('CONFLICT', `the registration is ${row.status}: PUT starts it again`);
      }
      await prepare();
      return requeue(row, input, principal);
    },
    skip: async (notificationId, principal, messageUuid) => {
      const { uuid } = await requireOwn(notificationId, principal);
      await requireMessage(uuid, principal, messageUuid);
      await prepare();
      const skipping = await database.transaction((client) => skipMessage(client, uuid, messageUuid, now()));
      if (skipping === 'UNKNOWN') throw new AppError('NOT_FOUND', 'the registration has no such message');
      if (skipping === 'SETTLED') throw new AppError('CONFLICT', 'the message does not wait');
      if (skipping === 'SENDING') throw new AppError('CONFLICT', 'messages are being sent at this moment: try again');
    },
    renewSecret: async (notificationId, principal) => {
      const { uuid } = await requireOwn(notificationId, principal);
      const secret = createWebhookSecret();
      await inTransaction(database, async (tx) => {
        const { sealedSecret } = await tx.notificationRegistration.findUniqueOrThrow({ where: { uuid } });
        const time = now();
        const row = await tx.notificationRegistration.update({
          where: { uuid },
          data: {
            sealedSecret: sealer.seal(secret),
            secretUnseen: false,
            sealedPrevious: sealedSecret,
            previousSecretUntil: new Date(time.getTime() + secretOverlapMs),
            lastUpdated: time,
          },
        });
        await logChange(tx, toLoggedRegistration('PATCH', toShown(row), principal.uuid));
      });
      return secret;
    },
  };
};
