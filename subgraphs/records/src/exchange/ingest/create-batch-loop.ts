import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { isUnavailable } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import { createWakeable } from '../../base/create-wakeable.js';
import type { FaultyEvent } from '../../domain/events/incoming-event.js';
import type { CommittedBatch } from './committed-batch.js';
import type { QueuedEvent } from './queued-event.js';

/** Commits arriving events in batches, one at a time: events that arrive during a commit go with the next one. */
export interface BatchLoop extends Closable {
  /** Resolves with its batch when the event is committed; rejects when it was given up (its sender will send it again). */
  add(event: QueuedEvent): Promise<CommittedBatch>;
  /** As `add`, for events that are committed in one transaction or not at all. At least one. */
  addAll(events: readonly QueuedEvent[]): Promise<CommittedBatch>;
}

export interface BatchLoopOptions {
  readonly commit: (batch: readonly QueuedEvent[]) => Promise<CommittedBatch>;
  /** Called after each commit, in order. Must not throw. */
  readonly onCommitted: (committed: CommittedBatch, batch: readonly QueuedEvent[]) => void;
  /** Events that were given up: none of them is saved. */
  readonly onGivenUp: (batch: readonly QueuedEvent[]) => void;
  readonly log: Log;
  /** Events in a batch, unless more were added together. Default 512. */
  readonly maxBatch?: number;
}

/** Events that were added together. */
interface Waiting {
  readonly events: readonly QueuedEvent[];
  resolve(committed: CommittedBatch): void;
  reject(error: unknown): void;
}

const maxRepeats = 5;
const unavailableRetryMs = 250;
/** unique_violation, foreign_key_violation, serialization_failure, deadlock_detected: another transaction was first */
const repeatable = new Set(['23505', '23503', '40001', '40P01']);

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** The outcome of an event that the database refuses on its own. */
const toUnstorable = ({ adaptor, event, position, seen, parked }: QueuedEvent): QueuedEvent => {
  const fault: FaultyEvent = {
    kind: 'FAULTY',
    sourceAdaptorUuid: adaptor.uuid,
    version: event.version,
    key: event.key,
    drUuid: event.drUuid,
    exception: 'OTHER',
    cause: 'FAULTY',
    title: 'The event cannot be stored',
    errors: [],
    seen: 'seen' in event ? event.seen : undefined,
    text: event.text,
  };
  return { adaptor, position, event: fault, seen, ...(parked === undefined ? {} : { parked }) };
};

const eventsOf = (taken: readonly Waiting[]): readonly QueuedEvent[] => taken.flatMap(({ events }) => events);

/** Closing commits what has arrived and then waits for nothing more. */
export const createBatchLoop = (options: BatchLoopOptions): BatchLoop => {
  const { commit, onCommitted, onGivenUp, log, maxBatch = 512 } = options;
  const waiting: Waiting[] = [];
  const closing = new AbortController();

  /** Repeats while another transaction was first, and while the database is away. */
  const commitPatiently = async (batch: readonly QueuedEvent[]): Promise<CommittedBatch> => {
    for (let repeats = 0; ;) {
      try {
        return await commit(batch);
      } catch (error) {
        if (isUnavailable(error) && !closing.signal.aborted) {
          log.warn({ err: error, events: batch.length }, 'events wait for the database');
          await delay(unavailableRetryMs, undefined, { signal: closing.signal }).catch(() => undefined);
          continue;
        }
        repeats += 1;
        if (!repeatable.has(codeOf(error)) || repeats > maxRepeats) throw error;
      }
    }
  };

  const commitTaken = async (taken: readonly Waiting[]): Promise<void> => {
    const batch = eventsOf(taken);
    const committed = await commitPatiently(batch);
    onCommitted(committed, batch);
    for (const { resolve } of taken) resolve(committed);
  };

  const commitSingly = async (taken: readonly Waiting[]): Promise<void> => {
    for (const one of taken) {
      try {
        await commitTaken([one]);
      } catch (error) {
        log.error(
          { err: error, adaptorUuid: one.events[0]?.adaptor.uuid },
          'an event cannot be stored, it becomes an issue',
        );
        await commitTaken([{ ...one, events: one.events.map(toUnstorable) }]);
      }
    }
  };

  const takeBatch = (): readonly Waiting[] => {
    let [events, groups] = [0, 0];
    for (const next of waiting) {
      if (groups > 0 && events + next.events.length > maxBatch) break;
      events += next.events.length;
      groups += 1;
    }
    return waiting.splice(0, groups);
  };

  const commitWaiting = async (): Promise<void> => {
    // events that arrive in the same turn go together
    await nextTurn();
    while (waiting.length > 0) {
      const taken = takeBatch();
      try {
        await commitTaken(taken).catch((error: unknown) => {
          log.warn(
            { err: error, events: eventsOf(taken).length },
            'a batch could not be committed, its events go singly',
          );
          return commitSingly(taken);
        });
      } catch (error) {
        log.error(
          { err: error, events: eventsOf(taken).length },
          'events were given up, their adaptors will send them again',
        );
        onGivenUp(eventsOf(taken));
        for (const { reject } of taken) reject(error);
      }
    }
  };

  const loop = createWakeable(commitWaiting, (error) => log.error({ err: error }, 'the batch loop failed'));
  const addAll: BatchLoop['addAll'] = (events) =>
    new Promise((resolve, reject) => {
      waiting.push({ events, resolve, reject });
      loop.wake();
    });
  return {
    add: (event) => addAll([event]),
    addAll,
    close: async () => {
      closing.abort();
      await loop.settle();
    },
  };
};
