import type { Catalog } from '../../domain/catalog.js';
import { ParkedQueues } from '../../issues/domain/parked-queues.js';
import type { Channel } from '../../domain/meet-adaptor.js';
import { matchingsOf } from '../../domain/records/near-records.js';
import { RecordBook } from '../../domain/records/record-book.js';
import type { ReferenceBook } from '../../references/domain/reference-book.js';
import { Outbox } from '../../domain/routing/outbox.js';
import { indexSent } from '../../domain/routing/sent-message.js';
import { loadOrigins } from '../../store/events/load-origins.js';
import { openReferenceBook } from '../../references/store/open-reference-book.js';
import type { LockedState } from '../../transaction/decide-records.js';
import type { RecordSession } from '../../transaction/record-session.js';
import { versionsOf, type batchReads } from './batch-reads.js';
import type { WaitingEvents } from './decide-batch.js';
import { ParkedSettlement } from '../../issues/parked/parked-settlement.js';
import { inSequence, type AcceptedEvents } from './in-sequence.js';
import { loadCrossed } from './load-crossed.js';
import { withReportsBefore } from '../../issues/parked/stale-reports.js';
import type { QueuedEvent } from './queued-event.js';
import { wantedOrigins } from './wanted-origins.js';

/** A batch with everything that the decisions on its events need. */
export interface OpenedBatch extends AcceptedEvents {
  readonly catalog: Catalog;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly book: RecordBook;
  readonly references: ReferenceBook;
  readonly outbox: Outbox;
  readonly waiting: WaitingEvents;
}

/** The data-store records that the batch may delete. */
const deletedUuidsOf = (book: RecordBook, batch: readonly QueuedEvent[]): string[] =>
  batch.flatMap(({ event }) => {
    if (event.kind !== 'RECORD_DELETED' || event.version.domainType === 'FEDERATED') return [];
    const named = event.drUuid === undefined ? undefined : book.byUuid(event.drUuid);
    const keyed = event.key === undefined ? [] : book.byKey(event.version.uuid, event.key.digest);
    return [...(named === undefined ? [] : [named]), ...keyed].map(({ uuid }) => uuid);
  });

/** The batch's changes of data-store records. */
const writtenBy = (batch: readonly QueuedEvent[]) =>
  batch.flatMap(({ event }) =>
    event.kind === 'RECORD_CHANGED' && event.version.domainType === 'SERVICE_DATA_STORE'
      ? [{ version: event.version, json: event.record }]
      : [],
  );

/** Accepts the events that are in sequence, reads the data that depends on the records, and opens the books. */
export const openBatch = async (
  { run, sql }: RecordSession,
  { catalog, channels, loaded }: LockedState<ReturnType<typeof batchReads>>,
  batch: readonly QueuedEvent[],
): Promise<OpenedBatch> => {
  const { records, removedLinks } = loaded.touched;
  const { accepted, applied } = inSequence(channels, batch);
  const book = new RecordBook(records, matchingsOf(versionsOf(batch)), removedLinks);
  const { references, crossed, origins } = await run({
    references: () =>
      openReferenceBook(sql, {
        catalog,
        book,
        stored: records,
        written: writtenBy(accepted),
        deletedUuids: deletedUuidsOf(book, accepted),
      }),
    crossed: () => loadCrossed(sql, channels, accepted, loaded.touched),
    origins: () => loadOrigins(sql, wantedOrigins(accepted, records)),
  });
  const queues = new ParkedQueues(loaded.parking);
  return {
    accepted,
    applied,
    catalog,
    channels,
    book,
    references,
    outbox: new Outbox((uuid) => channels.get(uuid), crossed, indexSent(origins)),
    waiting: {
      queues,
      settlement: new ParkedSettlement(loaded.openIssues, queues),
      staleReports: withReportsBefore(loaded.staleReports, accepted),
    },
  };
};
