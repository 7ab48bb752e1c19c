import type { Principal } from '@fds/auth';
import { mayReceive, notifiedTypes } from '@fds/change-events';
import { openChangeLogReader, type Database, type LoggedChange } from '@fds/database';
import { stringifyJson } from '@fds/json';
import type { Closable, Log } from '@fds/service';
import { lockCursor, moveCursor, openCursor } from '../store/queue/cursor.js';
import { enqueue, type QueueBounds } from '../store/queue/enqueue.js';
import type { WantedChange } from '../store/queue/insert-messages.js';
import {
  openRegistrationIndex,
  type RegistrationIndex,
  type WantingRegistration,
} from '../store/queue/registration-index.js';
import { decidedFor } from '../store/deliveries/decide-messages.js';
import { setStatus } from '../store/registrations/set-status.js';
import { openSubjects } from '../store/open-subjects.js';

export interface MatcherOptions {
  readonly database: Database;
  readonly log: Log;
  readonly now: () => Date;
  readonly newUuid: () => string;
  readonly bounds: QueueBounds;
  /** Returns a user with their current permissions; undefined when unknown or deactivated. */
  readonly findUser: (userUuid: string) => Promise<Principal | undefined>;
  readonly onBoundHit: (bound: 'notification_queue') => void;
  /** Called before messages are queued. Resolves when receivers can be woken. */
  readonly prepare: () => Promise<void>;
  /** Called for each registration that its user has changed. */
  readonly onRegistration: (registrationUuid: string) => Promise<void>;
}

const registrationType = 'Notification';

/** A registration whose user may see a change; undefined: the user is gone. */
interface SeeingRegistration extends WantingRegistration {
  readonly user: Principal | undefined;
}

/** Types of changes that registrations can match, without records when no registration covers them. */
const typesFor = ({ size, reachesRecords }: RegistrationIndex): readonly string[] => {
  if (size === 0) return [registrationType];
  const types = new Set<string>([...notifiedTypes, registrationType]);
  if (!reachesRecords) types.delete('Dr');
  return [...types];
};

/** Most messages that one transaction queues. The messages of one change stay together. */
const maxQueued = 2000;

/** Splits a page of changes after each change of a registration. */
const cutAtRegistrations = (page: readonly LoggedChange[]): LoggedChange[][] => {
  const parts: LoggedChange[][] = [[]];
  for (const change of page) {
    parts.at(-1)?.push(change);
    if (change.resourceType === registrationType) parts.push([]);
  }
  return parts.filter((part) => part.length > 0);
};

/**
 * Follows the change log and adds each change to the queues of the registrations that match it and whose users may see
 * it. A change that a user may not see leaves no row. Several processes may
 * follow at the same time. The cursor is locked while messages are queued, so that each change is queued once. Without
 * registrations, only changes of registrations are read.
 */
export const openMatcher = async (options: MatcherOptions): Promise<Closable> => {
  const { database, log, now, newUuid, bounds, findUser, onBoundHit, prepare, onRegistration } = options;
  const registrations = await openRegistrationIndex(database);
  const cursor = await openCursor(database);
  const first = registrations.firstPosition();
  /** Position up to which all changes have been matched. */
  let seen = first !== undefined && first > cursor ? first : cursor;
  let saved = cursor;
  let isClosed = false;
  let reopening: Promise<void> = Promise.resolve();
  let reader: Closable | undefined;

  /** The changes that registrations match, each with the registrations whose users may see it now. */
  const seenBy = async (changes: readonly LoggedChange[]) => {
    const matched = changes.flatMap((change) => {
      const receivers = registrations.wanting(change, change.position);
      return receivers.length === 0 ? [] : [{ change, receivers }];
    });
    const subjects = await openSubjects(database).find(matched.map(({ change }) => change));
    const users = new Map<string, Principal | undefined>();
    const seen: { readonly change: LoggedChange; readonly receivers: readonly SeeingRegistration[] }[] = [];
    for (const [index, { change, receivers }] of matched.entries()) {
      const subject = subjects[index];
      if (subject === undefined) continue;
      const seeing: SeeingRegistration[] = [];
      for (const receiver of receivers) {
        const { userUuid } = receiver;
        if (!users.has(userUuid)) users.set(userUuid, await findUser(userUuid));
        const user = users.get(userUuid);
        // the delivery refuses the registration of a user who is gone
        if (user === undefined || mayReceive(user, change, subject)) seeing.push({ ...receiver, user });
      }
      if (seeing.length > 0) seen.push({ change, receivers: seeing });
    }
    return seen;
  };

  const wantedOf = (change: LoggedChange, receivers: readonly SeeingRegistration[]): WantedChange[] => {
    const bytes = change.data === undefined ? 0 : Buffer.byteLength(stringifyJson(change.data));
    return receivers.map(({ registrationUuid, user }) => ({
      uuid: newUuid(),
      registrationUuid,
      position: change.position,
      bytes,
      decidedFor: user === undefined ? null : decidedFor(user),
    }));
  };

  /** Queues messages for changes up to a position. */
  const queue = async (wanted: readonly WantedChange[], upTo: bigint): Promise<void> => {
    await prepare();
    await database.transaction(async (client) => {
      const locked = await lockCursor(client);
      const fresh = wanted.filter(({ position }) => position > locked);
      const overfull = await enqueue(client, fresh, now(), bounds);
      for (const _ of overfull) onBoundHit('notification_queue');
      const lastError = `more than ${bounds.messages} messages or ${bounds.bytes} bytes wait for the receiver`;
      await setStatus(client, overfull, { status: 'DISABLED', lastError }, now());
      await moveCursor(client, upTo);
    });
    saved = upTo;
  };

  const match = async (changes: readonly LoggedChange[]): Promise<void> => {
    let wanted: WantedChange[] = [];
    for (const { change, receivers } of await seenBy(changes)) {
      for (const each of wantedOf(change, receivers)) wanted.push(each);
      if (wanted.length < maxQueued) continue;
      await queue(wanted, change.position);
      wanted = [];
    }
    const last = changes.at(-1)?.position ?? seen;
    if (wanted.length > 0) await queue(wanted, last);
    seen = last;
  };

  /** @returns false when other types must be read from here on */
  const takeRegistration = async ({ resourceUuid, action, actorUuid }: LoggedChange): Promise<boolean> => {
    const before = typesFor(registrations).length;
    if (resourceUuid !== undefined) await registrations.refresh(resourceUuid);
    // changes by the server result from deliveries
    if (resourceUuid !== undefined && action === 'PUT' && actorUuid !== undefined) await onRegistration(resourceUuid);
    return typesFor(registrations).length === before;
  };

  const open = async (from: bigint): Promise<Closable> => {
    let isRetired = false;
    return openChangeLogReader({
      database,
      name: 'notifications',
      from,
      resourceTypes: typesFor(registrations),
      log,
      onChanges: async (page) => {
        for (const part of cutAtRegistrations(page)) {
          if (isRetired || isClosed) return;
          await match(part);
          const last = part.at(-1);
          if (last?.resourceType !== registrationType || (await takeRegistration(last))) continue;
          isRetired = true;
          // a reader cannot close itself while it delivers a page
          reopening = reopening.then(() => replace(last.position));
          reopening.catch(() => undefined);
        }
      },
    });
  };

  const replace = async (from: bigint): Promise<void> => {
    await new Promise(setImmediate);
    await reader?.close();
    if (!isClosed) reader = await open(from);
  };

  reader = await open(seen);
  if (registrations.size > 0) await prepare();

  /** Saves the position after some time without queued messages, so that the next start does not read many old changes. */
  const save = async (): Promise<void> => {
    if (registrations.size === 0 || seen <= saved) return;
    const position = seen;
    await database.transaction((client) => moveCursor(client, position));
    saved = position;
  };
  const saving = setInterval(() => {
    save().catch((error: unknown) => log.warn({ err: error }, 'the cursor of notifications could not be saved'));
  }, 10_000).unref();

  return {
    close: async () => {
      isClosed = true;
      clearInterval(saving);
      await reopening.catch(() => undefined);
      await reader?.close();
      await save().catch(() => undefined);
    },
  };
};
