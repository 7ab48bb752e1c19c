import { adaptorSource, checkMessage } from '@fds/adaptor-protocol';
import type { Database } from '@fds/database';
import { isJsonObject, parseJson, type JsonValue } from '@fds/json';
import type { Closable, Log } from '@fds/service';
import { createWakeable } from '../../base/create-wakeable.js';
import { findReferencedVersions } from '../../catalog-view/find-referenced-versions.js';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { IncomingEvent } from '../../domain/events/incoming-event.js';
import { readDataEvent } from '../../domain/events/read-event.js';
import { unreadableData, unreadableEvent } from '../../domain/events/unreadable-event.js';
import type { RetryOrder } from '../../domain/issues/retry-order.js';
import { keepAwaited } from '../../store/issues/awaited-keys.js';
import type { ParkedEvent } from '../../store/issues/parked-event.js';
import { findParkedEvent, loadParkedEvents } from '../../store/issues/parked-events.js';
import type { ReleasedEvents } from '../../store/issues/released-events.js';
import { queueOf, type QueueKey } from '../../domain/issues/parked-queues.js';
import { ParkedReleases } from './parked-releases.js';
import type { CommitRetried, RetriedBatch, RetriedEvent } from './retried-event.js';

/** Tries events again that wait with an issue, when their cause may be gone. */
export interface ParkedReleaser extends Closable {
  /** Tries in the background what may go on, each event once, those behind it after it. */
  release(released: ReleasedEvents): void;
  /**
   * Tries one event, and resolves when it has continued or its issue has the reason.
   *
   * @returns IMPOSSIBLE: its adaptor takes no part, or nobody can read it; STALE: the issue has changed since
   */
  retry(issueUuid: string, order: RetryOrder): Promise<'TRIED' | 'STALE' | 'IMPOSSIBLE'>;
}

export interface ParkedReleaserOptions {
  readonly database: Database;
  readonly view: CatalogView;
  readonly commit: CommitRetried;
  readonly log: Log;
}

/** Each process reads one page at a time: this many events, and little more than this size. */
const pageLimits = { limit: 256, maxBytes: 4 * 2 ** 20 };
/** New records come in streams: the search for waiting events runs at most this often. */
const gatherMs = 50;
/** Events that could not be tried, because the database was away, are tried again. */
const repeatMs = 1_000;

const parseText = (text: string): JsonValue => {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
};

/** The queues whose events on the page continued: the events behind an event that waits on have to wait too. */
const withoutBlocked = (
  queues: readonly QueueKey[],
  page: readonly ParkedEvent[],
  batches: readonly Pick<RetriedBatch, 'settled'>[],
): ReleasedEvents | undefined => {
  const settled = new Set([...new Set(batches)].flatMap((batch) => [...batch.settled]));
  const blocked = new Set(
    page.flatMap(({ issueUuid, adaptorUuid, domainVersionUuid, keyDigest }) =>
      settled.has(issueUuid) || domainVersionUuid === null || keyDigest === null
        ? []
        : [queueOf({ adaptorUuid, domainVersionUuid, keyDigest })],
    ),
  );
  const left = queues.filter((queue) => !blocked.has(queueOf(queue)));
  return left.length === 0 ? undefined : { kind: 'QUEUES', queues: left };
};

/** Several processes may release at once: an issue is settled once. Closing finishes the page at hand. */
export const createParkedReleaser = ({ database, view, commit, log }: ParkedReleaserOptions): ParkedReleaser => {
  const closing = new AbortController();
  const releases = new ParkedReleases();
  let repeating: NodeJS.Timeout | undefined;
  let gathering: NodeJS.Timeout | undefined;

  const readParked = async (parked: ParkedEvent): Promise<RetriedEvent | undefined> => {
    const adaptor = await view.findAdaptor(parked.adaptorUuid);
    // a deactivated adaptor sends nothing; its events continue to wait
    if (adaptor?.active !== true) return undefined;
    if (parked.domainVersionUuid !== null) await view.findVersionByUuid(parked.domainVersionUuid);
    const data = parseText(parked.dataEvent);
    if (!isJsonObject(data)) return undefined;
    const stamp = { id: parked.issueUuid, source: adaptorSource(adaptor.uuid), type: 'fds.data.v1', time: '' } as const;
    const checked = checkMessage('up/data', { ...stamp, data });
    if (!checked.ok) {
      // a person cannot make it readable; behind an issue that is settled, it becomes an issue itself
      if (parked.order !== undefined) return undefined;
      const event = unreadableEvent(view.catalog, adaptor, unreadableData(data, checked.faults));
      return { adaptor, event, position: undefined, parked };
    }
    const message = checked.value;
    if (message.type !== stamp.type) return undefined;
    const reread = async (): Promise<IncomingEvent> => {
      const source = view.catalog.adaptor(adaptor.uuid) ?? adaptor;
      const event = readDataEvent(view.catalog, source, message.data);
      if (event.kind === 'RECORD_CHANGED') await findReferencedVersions(view, event.version.model);
      return event;
    };
    const event = await reread();
    // a cheap filter first: of the many events that wait for a version, few wait for this one
    const waitsOn = parked.order === undefined && event.kind === 'FAULTY' && event.lacks?.kind === 'VERSION';
    return waitsOn ? undefined : { adaptor, event, reread, position: undefined, parked };
  };

  /** Does less when the database shows at a glance that no event waits. */
  const narrow = async (released: ReleasedEvents): Promise<ReleasedEvents | undefined> => {
    if (released.kind !== 'AWAITED') return released;
    const keys = await keepAwaited(database.pool, released.keys);
    return keys.length === 0 ? undefined : { kind: 'AWAITED', keys };
  };

  const tryAll = async (given: ReleasedEvents): Promise<void> => {
    let released = await narrow(given);
    let after: string | undefined;
    while (released !== undefined && !closing.signal.aborted) {
      const { events, isLast } = await loadParkedEvents(database.pool, released, { after, ...pageLimits });
      after = events.at(-1)?.issueUuid;
      const read: RetriedEvent[] = [];
      for (const parked of events) {
        const queued = await readParked(parked);
        if (queued !== undefined) read.push(queued);
      }
      const batches = await Promise.all(read.map((queued) => commit(queued)));
      if (isLast) return;
      if (released.kind === 'QUEUES') released = withoutBlocked(released.queues, events, batches);
    }
  };

  const tryReleased = async (): Promise<void> => {
    const taken = releases.take();
    for (const [index, released] of taken.entries()) {
      try {
        await tryAll(released);
      } catch (error) {
        for (const left of taken.slice(index)) releases.add(left);
        throw error;
      }
    }
  };

  const releasing = createWakeable(tryReleased, (error) => {
    log.warn({ err: error }, 'events that wait could not be tried again');
    if (!closing.signal.aborted) repeating = setTimeout(releasing.wake, repeatMs);
  });

  const wakeGathered = (): void => {
    gathering = undefined;
    releasing.wake();
  };

  return {
    release: (released) => {
      if (closing.signal.aborted) return;
      releases.add(released);
      if (released.kind !== 'AWAITED') releasing.wake();
      else gathering ??= setTimeout(wakeGathered, gatherMs);
    },
    retry: async (issueUuid, order) => {
      const parked = await findParkedEvent(database.pool, issueUuid);
      if (parked === undefined) return 'STALE';
      const queued = await readParked({ ...parked, order });
      if (queued === undefined) return 'IMPOSSIBLE';
      const { tried } = await commit(queued);
      return tried.has(issueUuid) ? 'TRIED' : 'STALE';
    },
    close: async () => {
      closing.abort();
      clearTimeout(repeating);
      clearTimeout(gathering);
      await releasing.settle();
    },
  };
};
