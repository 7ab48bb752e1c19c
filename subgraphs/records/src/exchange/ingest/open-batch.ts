import type { Catalog } from '../../domain/catalog.js';
import { MalformedKeys } from '../../domain/issues/malformed-keys.js';
import { ParkedQueues, queueOf, type OpenQueues } from '../../domain/issues/parked-queues.js';
import { DeletionBrake } from '../../domain/issues/deletion-brake.js';
import type { Channel } from '../../domain/meet-adaptor.js';
import { matchingsOf } from '../../domain/records/near-records.js';
import { RecordBook } from '../../domain/records/record-book.js';
import type { ReferenceBook } from '../../domain/references/reference-book.js';
import { Outbox } from '../../domain/routing/outbox.js';
import { indexSent } from '../../domain/routing/sent-message.js';
import { loadOrigins } from '../../store/events/load-origins.js';
import { openReferenceBook } from '../../store/references/open-reference-book.js';
import type { LockedState } from '../../store/transaction/decide-records.js';
import { loadSoundParts } from '../../store/issues/load-open-issues.js';
import type { RecordSession } from '../../store/transaction/record-session.js';
import { parkedLimit, versionsOf, type batchReads } from './batch-reads.js';
import type { WaitingEvents } from './decide-batch.js';
import { ParkedSettlement } from '../../issues/parked/parked-settlement.js';
import { inSequence, type AcceptedEvents } from './in-sequence.js';
import { loadCrossed } from './load-crossed.js';
import { withReportsBefore } from '../../issues/parked/stale-reports.js';
import type { QueuedEvent } from './queued-event.js';
import { wantedOrigins } from './wanted-origins.js';
import { withFormerKeys } from './with-former-keys.js';

/** A batch with everything that the decisions on its events need. */
export interface OpenedBatch extends AcceptedEvents {
  readonly catalog: Catalog;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly book: RecordBook;
  readonly references: ReferenceBook;
  readonly outbox: Outbox;
  readonly waiting: WaitingEvents;
  readonly brake: DeletionBrake;
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

/** Events that are not valid and may be merged into later ones: as much as is in memory for a batch. */
const maxSoundBytes = 16 * 2 ** 20;

/** The issues in front of changes of the batch whose events are not valid. */
const correctedOf = ({ issues, invalid, ofRecords }: OpenQueues, batch: readonly QueuedEvent[]): string[] => {
  if (invalid.size === 0) return [];
  const wanted = batch.flatMap(({ adaptor, event }) => {
    if (event.kind !== 'RECORD_CHANGED') return [];
    const place = { adaptorUuid: adaptor.uuid, domainVersionUuid: event.version.uuid, keyDigest: event.key.digest };
    const named = ofRecords.filter(({ recordUuid }) => recordUuid === event.drUuid);
    return [...(issues.get(queueOf(place)) ?? []), ...named.map(({ issueUuid }) => issueUuid)];
  });
  return [...new Set(wanted)].filter((uuid) => invalid.get(uuid)?.kind === 'READABLE');
};

/** The queues, with the sound parts of the events that corrections of the batch may replace. */
const withSoundParts = async (
  { run, sql }: RecordSession,
  loaded: OpenQueues,
  batch: readonly QueuedEvent[],
): Promise<OpenQueues> => {
  const wanted = correctedOf(loaded, batch);
  if (wanted.length === 0) return loaded;
  const { parts } = await run({ parts: () => loadSoundParts(sql, wanted, maxSoundBytes) });
  for (const [uuid, sound] of parts) loaded.invalid.set(uuid, { kind: 'READABLE', sound });
  return loaded;
};

/** The records of events that later ones of the batch may take values from. */
const takenOver = ({ invalid }: OpenQueues, batch: readonly QueuedEvent[]) => {
  const parts = [...invalid.values()].flatMap((event) => (event.kind === 'READABLE' && event.sound ? event.sound : []));
  if (parts.length === 0) return [];
  return versionsOf(batch).flatMap((version) =>
    version.domainType === 'SERVICE_DATA_STORE' ? parts.map(({ properties }) => ({ version, json: properties })) : [],
  );
};

/** Accepts the events that are in sequence, reads the data that depends on the records, and opens the books. */
export const openBatch = async (
  session: RecordSession,
  { catalog, channels, loaded }: LockedState<ReturnType<typeof batchReads>>,
  batch: readonly QueuedEvent[],
  newUuid: () => string,
): Promise<OpenedBatch> => {
  const { run, sql } = session;
  const sequence = inSequence(channels, batch);
  const { touched, parking: queued } = loaded;
  const named = await withFormerKeys(
    session,
    { accepted: sequence.accepted, touched, parking: queued },
    parkedLimit(batch),
  );
  const { accepted } = named;
  const { records, removedLinks } = named.touched;
  const { ofRecords, invalid, braked } = loaded.ofRecords;
  const open = {
    ...named.parking,
    invalid: new Map([...named.parking.invalid, ...invalid]),
    ofRecords,
    braked: new Map([...braked, ...named.parking.braked]),
  };
  const parking = await withSoundParts(session, open, accepted);
  const book = new RecordBook(records, matchingsOf(versionsOf(batch)), removedLinks);
  const { references, crossed, origins } = await run({
    references: () =>
      openReferenceBook(sql, {
        catalog,
        book,
        stored: records,
        written: [...writtenBy(accepted), ...takenOver(parking, accepted)],
        deletedUuids: deletedUuidsOf(book, accepted),
      }),
    crossed: () => loadCrossed(sql, channels, accepted, named.touched),
    origins: () => loadOrigins(sql, wantedOrigins(accepted, records)),
  });
  const queues = new ParkedQueues(parking);
  return {
    accepted,
    applied: sequence.applied,
    catalog,
    channels,
    book,
    references,
    brake: new DeletionBrake(loaded.brakes, newUuid),
    outbox: new Outbox((uuid) => channels.get(uuid), crossed, indexSent(origins)),
    waiting: {
      queues,
      malformed: new MalformedKeys(loaded.malformed),
      settlement: new ParkedSettlement(loaded.openIssues, queues),
      staleReports: withReportsBefore(loaded.staleReports, accepted),
    },
  };
};
