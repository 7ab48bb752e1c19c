import { notifiedTypes, type ChangeFeed, type FeedItem, type FeedListener } from '@fds/change-events';
import {
  listChanges,
  loadLogEnds,
  loadSettledHead,
  openChangeLogReader,
  type Database,
  type LoggedChange,
} from '@fds/database';
import { stringifyJson } from '@fds/json';
import type { Closable, Log } from '@fds/service';
import { loadReconciliations } from '../states/load-reconciliations.js';
import { openAdaptorReader } from '../states/open-adaptor-reader.js';
import { openSubjects } from '../../store/open-subjects.js';
import { foreignCursor, unknownCursor } from '../read-cursor.js';

export interface ChangeFeedOptions {
  readonly database: Database;
  readonly log: Log;
  /** Called with changes before their items are sent, so that the permissions of receivers are those after the change. */
  readonly heed: (changes: readonly LoggedChange[]) => void;
  /** Time between two reads of the adaptors, in milliseconds. Default 1000. */
  readonly statesMs?: number;
}

/** Types of resources that determine the permissions of receivers, or their tokens. */
const holderTypes: ReadonlySet<string> = new Set(['Zone', 'User', 'Group', 'Role', 'Permission', 'Adaptor', 'Token']);
const followedTypes = [...notifiedTypes, 'Token'];
const pageSize = 200;
const pageBytes = 2 ** 20;

/** Approximate size of a change or a read of the adaptors, in addition to its data. */
const itemBytes = 500;

const bytesOf = ({ data }: LoggedChange): number =>
  itemBytes + (data === undefined ? 0 : 2 * stringifyJson(data).length);

/** @throws AppError UNKNOWN_CURSOR */
const requireKept = (cursor: bigint, removedUpTo: bigint): void => {
  if (cursor === 0n || cursor >= removedUpTo) return;
  const reason = 'the cursor is too old: changes behind it have been removed';
  throw unknownCursor(`${reason}. Read the resources, then subscribe without a cursor`);
};

/** The change feed of a process. It reads only while it has a listener. */
export const createChangeFeed = (options: ChangeFeedOptions): ChangeFeed => {
  const { database, log, heed, statesMs = 1_000 } = options;
  const subjects = openSubjects(database);
  const readAdaptors = openAdaptorReader(database, () => performance.now());
  const notified: ReadonlySet<string> = new Set(notifiedTypes);
  let position = 0n;
  let reader: Closable | undefined;
  let current: FeedListener | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isReadingStates = false;
  let generation = 0;

  const toItems = async (changes: readonly LoggedChange[]): Promise<FeedItem[]> => {
    const found = await subjects.find(changes);
    return changes.map((change, index) => ({
      kind: 'CHANGE',
      position: change.position,
      change,
      bytes: bytesOf(change),
      subject: found[index] ?? { version: undefined, adaptorZoneUuid: undefined },
    }));
  };

  const take = async (changes: readonly LoggedChange[], of: number): Promise<void> => {
    heed(changes);
    subjects.heed(changes);
    const items = await toItems(changes.filter(({ resourceType }) => notified.has(resourceType)));
    // this reader is closing
    if (of !== generation) return;
    position = changes.at(-1)?.position ?? position;
    if (changes.some(({ resourceType }) => holderTypes.has(resourceType))) current?.onHoldersChanged();
    if (items.length > 0) current?.onItems(items);
  };

  const readStates = async (): Promise<void> => {
    if (isReadingStates) return;
    isReadingStates = true;
    try {
      const [readings, reconciliations] = await Promise.all([readAdaptors(), loadReconciliations(database.reads)]);
      const bytes = itemBytes * (readings.length + reconciliations.length + 1);
      current?.onItems([{ kind: 'STATES', position, readings, reconciliations, bytes }]);
    } catch (error) {
      log.warn({ err: error }, 'the states of adaptors could not be read');
    } finally {
      isReadingStates = false;
    }
  };
  const wantStates = (wanted: boolean): void => {
    if (!wanted) {
      clearInterval(timer);
      timer = undefined;
    } else if (timer === undefined) {
      timer = setInterval(() => void readStates(), statesMs);
      void readStates();
    }
  };
  const pause = async (): Promise<void> => {
    wantStates(false);
    generation += 1;
    current = undefined;
    const closing = reader;
    reader = undefined;
    await closing?.close();
  };

  return {
    get position() {
      return position;
    },
    listen: async (listener) => {
      const started = (generation += 1);
      position = await loadSettledHead(database.reads);
      current = listener;
      const opened = await openChangeLogReader({
        database,
        name: 'subscriptions',
        from: position,
        resourceTypes: followedTypes,
        onChanges: (changes) => take(changes, started),
        log,
        pageSize,
      });
      if (started === generation) reader = opened;
      else await opened.close();
    },
    pause,
    wantStates,
    read: async (after, topics, caller) => {
      const upTo = position;
      if (after >= upTo) return { items: [], upTo: after };
      const session = database.searches.sessionOf(caller);
      const filter = { types: topics.filter((topic) => notified.has(topic)) };
      const page = { order: 'OLDEST_FIRST', after, upTo, limit: pageSize, maxBytes: pageBytes } as const;
      const { changes, more } = await listChanges(session, filter, page);
      // a slow receiver may be so far behind that changes are removed before it reads them
      requireKept(after, (await loadLogEnds(session)).removedUpTo);
      return { items: await toItems(changes), upTo: more ? (changes.at(-1)?.position ?? upTo) : upTo };
    },
    requireCursor: async (cursor) => {
      const { removedUpTo, last } = await loadLogEnds(database.reads);
      if (cursor > (last ?? 0n)) throw unknownCursor(foreignCursor);
      requireKept(cursor, removedUpTo);
    },
    close: pause,
  };
};
