import type { Principal } from '@fds/auth';
import { inTransaction, loadLogHead, logChange, type PrismaTransaction } from '@fds/database';
import type { Paged, PageRequest } from '@fds/graphql';
import { AppError, type FaultList } from '@fds/errors';
import { isUuid } from '@fds/json';
import { createWebhookSecret } from '@fds/webhook-client';
import { joinCredentials, maskedPlaces, movedPlaces, splitCredentials } from '../domain/registration/credentials.js';
import {
  readRegistration,
  type ReadRegistration,
  type RegistrationInput,
} from '../domain/registration/read-registration.js';
import { registrationFault } from '../domain/registration/registration-fault.js';
import type { RegistrationContent } from '../domain/registration/registration.js';
import type { NotificationTools } from '../store/notification-tools.js';
import { countWaiting, type DecisionTools } from '../store/deliveries/decide-messages.js';
import { listNotifications, type ListedNotification } from '../store/registrations/list-notifications.js';
import { toLoggedRegistration } from '../store/registrations/log-registration.js';
import { lockQueues } from '../store/registrations/lock-queues.js';
import { lockUser } from '../store/registrations/lock-user.js';
import { toColumns, toContent, toShown, type RegistrationRow } from '../store/registrations/registration-rows.js';
import { sealCredentials, unsealCredentials } from '../store/registrations/seal-credentials.js';

/** The registrations of users. */
export interface RegistrationActions {
  list(principal: Principal, type: string | undefined, page: PageRequest): Promise<Paged<ListedNotification>>;
  /**
   * Creates, changes or replaces a registration. A `notificationId` that the caller does not have changes nothing.
   *
   * @returns uuid of the registration; undefined when nothing changed
   * @throws AppError VALIDATION_FAILED; UNAUTHENTICATED when the caller has been removed in the meantime
   */
  put(input: RegistrationInput, principal: Principal, faults: FaultList): Promise<string | undefined>;
  /**
   * Deletes a registration of the caller with its queue. Removing a registration that does not exist is not an error.
   */
  remove(notificationId: string, principal: Principal): Promise<void>;
  /** Shows a generated secret to the first request for it; undefined for all others. */
  showSecret(notificationId: string): Promise<string | undefined>;
}

const bytesOf = ({
  callback,
  events,
  httpHeaders,
  oauth2Registration,
}: Pick<RegistrationRow, 'callback' | 'events' | 'httpHeaders' | 'oauth2Registration'>): number =>
  Buffer.byteLength(callback + events + httpHeaders + (oauth2Registration ?? ''));

const loadTotalBytes = async (tx: PrismaTransaction): Promise<number> => {
  const [row] = await tx.$queryRaw<{ readonly bytes: bigint }[]>`
    SELECT coalesce(sum(octet_length(callback) + octet_length(events) + octet_length(http_headers)
      + coalesce(octet_length(oauth2_registration), 0)), 0)::bigint AS bytes FROM notification_registration`;
  return Number(row?.bytes ?? 0);
};

const isSending = ({ status }: RegistrationRow): boolean => status === 'ACTIVE' || status === 'FAILING';

export const createRegistrationActions = (
  tools: NotificationTools & Pick<DecisionTools, 'deciding'>,
): RegistrationActions => {
  const { database, sealer, now, newUuid, targets, bounds, secretOverlapMs, onBoundHit, holderExists } = tools;

  const find = async (
    tx: PrismaTransaction,
    userUuid: string,
    { notificationId, content: { callback, callbackType } }: ReadRegistration,
  ) => {
    const sameReceiver = await tx.notificationRegistration.findUnique({
      where: { userUuid_callback_callbackType: { userUuid, callback, callbackType } },
    });
    if (notificationId === undefined) return { current: sameReceiver, replaced: null };
    const current = await tx.notificationRegistration.findFirst({ where: { uuid: notificationId, userUuid } });
    return { current, replaced: sameReceiver?.uuid === current?.uuid ? null : sameReceiver };
  };

  const checkBounds = async (
    tx: PrismaTransaction,
    userUuid: string,
    content: RegistrationContent,
    current: RegistrationRow | null,
    isNew: boolean,
    faults: FaultList,
  ): Promise<void> => {
    const { registrationsPerUser, registrationBytes, totalBytes } = bounds;
    if (Buffer.byteLength(JSON.stringify(content)) > registrationBytes) {
      onBoundHit('notification_bytes');
      faults.add('', 'TOO_LARGE', `a registration has at most ${registrationBytes} bytes`);
    }
    if (isNew && (await tx.notificationRegistration.count({ where: { userUuid } })) >= registrationsPerUser) {
      onBoundHit('notification_registrations');
      faults.add('', 'TOO_MANY', `you have ${registrationsPerUser} registrations, the most that a user may have`);
    }
    const bytes = bytesOf(toColumns(splitCredentials(content).masked));
    const added = bytes - (current === null ? 0 : bytesOf(current));
    if (added > 0 && (await loadTotalBytes(tx)) + added > totalBytes) {
      onBoundHit('notification_total_bytes');
      faults.add('', 'TOO_MANY', `the registrations of all users together have at most ${totalBytes} bytes`);
    }
  };

  /** The columns of the signing secrets. A replaced secret also signs for a while. */
  const secretColumns = (current: RegistrationRow | null, given: string | undefined, time: Date) => {
    if (given === undefined) {
      return current === null ? { sealedSecret: sealer.seal(createWebhookSecret()), secretUnseen: true } : {};
    }
    const isSame = current !== null && sealer.unseal(current.sealedSecret) === given;
    return {
      sealedSecret: sealer.seal(given),
      secretUnseen: false,
      ...(current === null || isSame
        ? {}
        : {
            sealedPrevious: current.sealedSecret,
            previousSecretUntil: new Date(time.getTime() + secretOverlapMs),
          }),
    };
  };

  const removeRow = async (tx: PrismaTransaction, row: RegistrationRow, principal: Principal): Promise<void> => {
    await tx.notificationRegistration.delete({ where: { uuid: row.uuid }, select: { uuid: true } });
    await logChange(tx, toLoggedRegistration('DELETE', toShown(row), principal.uuid));
  };

  const save = async (
    tx: PrismaTransaction,
    current: RegistrationRow | null,
    { content, secret }: ReadRegistration,
    principal: Principal,
  ): Promise<RegistrationRow> => {
    const time = now();
    const refusal = registrationFault(content, principal, targets);
    const { masked, credentials } = splitCredentials(content);
    const columns = {
      ...toColumns(masked),
      sealedCredentials: sealCredentials(sealer, credentials),
      status: refusal === undefined ? 'ACTIVE' : 'REFUSED',
      lastError: refusal ?? null,
      lastUpdated: time,
      ...(current !== null && isSending(current) ? {} : { afterPosition: await loadLogHead(tx) }),
    };
    const secrets = secretColumns(current, secret, time);
    if (current === null) {
      const created = { uuid: newUuid(), userUuid: principal.uuid, dateCreated: time, receiver: { create: {} } };
      return tx.notificationRegistration.create({
        data: { ...created, afterPosition: 0n, sealedSecret: '', secretUnseen: false, ...columns, ...secrets },
      });
    }
    // the next attempt is made at once
    await tx.notificationReceiver.update({
      where: { registrationUuid: current.uuid },
      data: { nextAttempt: null, failures: 0 },
      select: { registrationUuid: true },
    });
    return tx.notificationRegistration.update({ where: { uuid: current.uuid }, data: { ...columns, ...secrets } });
  };

  return {
    list: (principal, type, page) =>
      listNotifications(database.reads, { userUuid: principal.uuid, type, page, now: now() }, (registrationUuids) =>
        countWaiting(tools, principal, registrationUuids),
      ),
    put: (input, principal, faults) =>
      inTransaction(database, async (tx) => {
        const read = readRegistration(input, faults);
        if (!faults.isEmpty) faults.throwIfAny();
        await lockUser(tx, principal.uuid);
        if (!(await holderExists(tx, principal))) {
          const detail = 'the user was removed while the request was being answered';
          throw new AppError('UNAUTHENTICATED', detail, { details: { reason: 'unknown' } });
        }
        const { current, replaced } = await find(tx, principal.uuid, read);
        const isUnknown = read.notificationId !== undefined && current === null;
        const kept = unsealCredentials(sealer, current?.sealedCredentials ?? null);
        const content = joinCredentials(read.content, kept);
        const unknown = new Set(isUnknown ? [] : maskedPlaces(content));
        for (const place of unknown) {
          faults.add(place, 'NOTHING_TO_KEEP', 'no value is stored that *** could keep');
        }
        for (const place of current === null ? [] : movedPlaces(read.content, toContent(current))) {
          if (unknown.has(place)) continue;
          const detail =
            '*** keeps a value for the scheme, host and port that it is sent to, and they change: send it again';
          faults.add(place, 'NOTHING_TO_KEEP', detail);
        }
        await checkBounds(tx, principal.uuid, content, current, current === null && !isUnknown, faults);
        faults.throwIfAny();
        if (isUnknown) return undefined;
        await lockQueues(
          tx,
          [current, replaced].flatMap((row) => row?.uuid ?? []),
        );
        if (replaced !== null) await removeRow(tx, replaced, principal);
        const row = await save(tx, current, { ...read, content }, principal);
        await logChange(tx, toLoggedRegistration(current === null ? 'POST' : 'PUT', toShown(row), principal.uuid));
        return row.uuid;
      }),
    remove: async (notificationId, principal) => {
      if (!isUuid(notificationId)) return;
      await inTransaction(database, async (tx) => {
        await lockUser(tx, principal.uuid);
        const where = { uuid: notificationId, userUuid: principal.uuid };
        const row = await tx.notificationRegistration.findFirst({ where });
        if (row === null) return;
        await lockQueues(tx, [row.uuid]);
        await removeRow(tx, row, principal);
      });
    },
    showSecret: async (notificationId) => {
      const { rows } = await database.pool.query<{ sealed_secret: string }>(
        `UPDATE notification_registration SET secret_unseen = false
         WHERE uuid = $1 AND secret_unseen RETURNING sealed_secret`,
        [notificationId],
      );
      return rows[0] === undefined ? undefined : sealer.unseal(rows[0].sealed_secret);
    },
  };
};
