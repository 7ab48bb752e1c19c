import { notifiedTypes } from '@fds/change-events';
import { openChangeLogReader, type Database, type LoggedChange } from '@fds/database';
import { stringifyJson } from '@fds/json';
import type { Closable, Log } from '@fds/service';
import { loadFilters, type RegistrationFilter } from '../store/queue/load-filters.js';
import { lockCursor, moveCursor, openCursor } from '../store/queue/cursor.js';
import { enqueue, type QueueBounds, type WantedChange } from '../store/queue/enqueue.js';
import { setStatus } from '../store/registrations/set-status.js';

export interface MatcherOptions {
  readonly database: Database;
  readonly log: Log;
  readonly now: () => Date;
  readonly newUuid: () => string;
  readonly bounds: QueueBounds;
  readonly onBoundHit: (bound: 'notification_queue') => void;
  /** Called before messages are queued. Resolves when receivers can be woken. */
  readonly prepare: () => Promise<void>;
  /** Called for each registration that its user has changed. */
  readonly onRegistration: (registrationUuid: string) => Promise<void>;
}

const registrationType = 'Notification';

/** Types of changes that registrations can want: without records where no registration reaches them. */
const typesFor = (filters: readonly RegistrationFilter[]): readonly string[] => {
  if (filters.length === 0) return [registrationType];
  const withRecords = filters.some(({ reachesRecords }) => reachesRecords);
  const types = new Set<string>([...notifiedTypes, registrationType]);
  if (!withRecords) types.delete('Dr');
  return [...types];
};

const smallest = (filters: readonly RegistrationFilter[]): bigint =>
  filters.map(({ afterPosition }) => afterPosition).reduce((one, other) => (one < other ? one : other));

/** The changes of a page, cut behind each change of a registration. */
const cutAtRegistrations = (page: readonly LoggedChange[]): LoggedChange[][] => {
  const parts: LoggedChange[][] = [[]];
  for (const change of page) {
    parts.at(-1)?.push(change);
    if (change.resourceType === registrationType) parts.push([]);
  }
  return parts.filter((part) => part.length > 0);
};

/**
 * Follows the change log and puts each change into the queues of the registrations that want it. Several processes may follow at
 * the same time: the cursor is locked while messages are queued, so that each change is queued once. Without registrations, only
 * changes of registrations are read.
 */
export const openMatcher = async (options: MatcherOptions): Promise<Closable> => {
  const { database, log, now, newUuid, bounds, onBoundHit, prepare, onRegistration } = options;
  let filters = await loadFilters(database);
  const cursor = await openCursor(database);
  /** Everything up to here was compared. */
  let seen = filters.length > 0 && smallest(filters) > cursor ? smallest(filters) : cursor;
  let saved = cursor;
  let isClosed = false;
  let reopening: Promise<void> = Promise.resolve();
  let reader: Closable | undefined;

  const wantedOf = (changes: readonly LoggedChange[]): WantedChange[] =>
    changes.flatMap((change) => {
      const receivers = filters.filter((filter) => change.position > filter.afterPosition && filter.matches(change));
      if (receivers.length === 0) return [];
      const bytes = change.data === undefined ? 0 : Buffer.byteLength(stringifyJson(change.data));
      return receivers.map(({ uuid: registrationUuid }) => ({
        uuid: newUuid(),
        registrationUuid,
        position: change.position,
        bytes,
      }));
    });

  const match = async (changes: readonly LoggedChange[]): Promise<void> => {
    const last = changes.at(-1)?.position ?? seen;
    const wanted = wantedOf(changes);
    if (wanted.length > 0) {
      await prepare();
      await database.transaction(async (client) => {
        const locked = await lockCursor(client);
        const fresh = wanted.filter(({ position }) => position > locked);
        const overfull = await enqueue(client, fresh, now(), bounds);
        for (const _ of overfull) onBoundHit('notification_queue');
        const lastError = `more than ${bounds.messages} messages or ${bounds.bytes} bytes wait for the receiver`;
        await setStatus(client, overfull, { status: 'DISABLED', lastError }, now());
        await moveCursor(client, last);
      });
      saved = last;
    }
    seen = last;
  };

  /** @returns false: from here on other types have to be read */
  const takeRegistration = async ({ resourceUuid, action, actorUuid }: LoggedChange): Promise<boolean> => {
    const before = typesFor(filters);
    filters = await loadFilters(database);
    // changes by the server follow from deliveries
    if (resourceUuid !== undefined && action === 'PUT' && actorUuid !== undefined) await onRegistration(resourceUuid);
    return typesFor(filters).length === before.length;
  };

  const open = async (from: bigint): Promise<Closable> => {
    let isRetired = false;
    return openChangeLogReader({
      database,
      from,
      resourceTypes: typesFor(filters),
      log,
      onChanges: async (page) => {
        for (const part of cutAtRegistrations(page)) {
          if (isRetired || isClosed) return;
          await match(part);
          const last = part.at(-1);
          if (last?.resourceType !== registrationType || (await takeRegistration(last))) continue;
          isRetired = true;
          // a reader cannot close itself while it hands over a page
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
  if (filters.length > 0) await prepare();

  /** Saves the place when nothing was queued for some time, so that the next start need not read from far behind. */
  const save = async (): Promise<void> => {
    if (filters.length === 0 || seen <= saved) return;
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
