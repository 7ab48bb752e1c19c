import type { Database } from '@fds/database';
import type { GovernanceRules, OperationalRules } from '@fds/governance-rules';
import { startSpan, type Span } from '@fds/service';
import type { TakenChanges } from '../../domain/taken-changes.js';
import type { Catalog } from '../../domain/catalog.js';
import { decideRecords, type Decided } from '../../store/transaction/decide-records.js';
import { pipelined } from '../../store/transaction/record-session.js';
import type { SavedDecisions } from '../../store/transaction/save-decisions.js';
import { batchReads, versionsOf } from './batch-reads.js';
import type { CommittedBatch } from './committed-batch.js';
import { decideBatch, type DecidedBatch } from './decide-batch.js';
import { seenBy } from './load-crossed.js';
import { openBatch, type OpenedBatch } from './open-batch.js';
import type { QueuedEvent } from './queued-event.js';

/** Catalog and chains by which a batch is decided. */
interface BatchRules {
  readonly catalog: Catalog;
  readonly governance: GovernanceRules;
  readonly operational: OperationalRules;
}

export interface CommitDependencies {
  readonly database: Database;
  readonly newUuid: () => string;
  /** Catalog and chains at the time of the call. */
  readonly rules: () => BatchRules;
  /** The changes that the rules show at the call. Absent: the rules are trusted. */
  readonly taken?: () => TakenChanges;
}

/** A batch as it was decided: its result is known before the database has answered. */
interface BatchResult {
  readonly opened: OpenedBatch;
  readonly decided: DecidedBatch;
  readonly operational: OperationalRules;
}

const decide = (
  { governance, operational }: BatchRules,
  newUuid: () => string,
  opened: OpenedBatch,
): Decided<BatchResult> => {
  const { catalog, channels, accepted, applied, book, references, outbox, waiting, brake } = opened;
  const decided = decideBatch(
    { catalog, governance, operational, book, outbox, references, newUuid, brake },
    accepted,
    waiting,
    (queued) => seenBy(channels.get(queued.adaptor.uuid), queued),
  );
  const { outcomes, newIssues: notices, resent } = decided;
  return {
    result: { opened, decided, operational },
    decisions: { outcomes, book, references, outbox, applied, settled: waiting.settlement, notices, brake, resent },
  };
};

const toCommitted = async (
  batch: readonly QueuedEvent[],
  { opened, decided, operational }: BatchResult,
  { channels, waiting, unblocked }: SavedDecisions,
): Promise<CommittedBatch> => {
  const { outbox } = opened;
  const { settlement } = opened.waiting;
  const { outcomes, counted, refused, newIssues } = decided;
  const sources = new Set(batch.filter(({ position }) => position !== undefined).map(({ adaptor }) => adaptor.uuid));
  const isDenied = settlement.isDenied || outcomes.some(({ issue }) => issue?.cause === 'OPERATIONAL');
  return {
    sources: channels.filter(({ adaptorUuid }) => sources.has(adaptorUuid)),
    destinations: channels.filter(({ adaptorUuid }) => outbox.last(adaptorUuid) !== undefined),
    deliveries: outcomes.flatMap(({ deliveries }) => deliveries),
    deniedBy: isDenied ? operational : undefined,
    tried: settlement.tried,
    settled: new Set([...settlement.closed.map(({ uuid }) => uuid), ...settlement.continued]),
    leftQueues: settlement.leftQueues(),
    refused,
    newIssues,
    unblocked: await unblocked.answer,
    awaited: waiting.flatMap(({ awaits = [] }) => awaits),
    counted,
    crossed: outcomes.flatMap(({ crossed }) => crossed ?? []),
  };
};

/** A span of the transaction in the trace of each event that has one. */
const transactionSpans = (batch: readonly QueuedEvent[]): readonly Span[] =>
  batch.flatMap(({ span }) =>
    span === undefined
      ? []
      : (startSpan({
          name: 'transaction',
          kind: 'CLIENT',
          parent: span.traceparent,
          attributes: { 'db.system.name': 'postgresql', 'db.operation.batch.size': batch.length },
        }) ?? []),
  );

/** Ends the spans of a transaction with it. */
const within = async <T>(spans: readonly Span[], transaction: Promise<T>): Promise<T> => {
  let failure: string | undefined = 'ROLLED_BACK';
  try {
    const result = await transaction;
    failure = undefined;
    return result;
  } finally {
    for (const span of spans) span.end(failure);
  }
};

/**
 * Decides on a batch and commits it in one transaction of a fixed number of statements, in two round trips: reads, and writes
 * with the commit. A batch with events that cross messages or refer to records takes a third one for further reads.
 *
 * @throws StaleCatalog and StaleVersions when the catalog has changed since the events were read,
 *   IncompleteMatchIndexes, and the database's error; the batch is then not saved at all
 */
export const commitBatch = async (
  { database, newUuid, rules, taken }: CommitDependencies,
  batch: readonly QueuedEvent[],
): Promise<CommittedBatch> => {
  const spans = transactionSpans(batch);
  const transaction = database.pipelinedTransaction((sql) => {
    const current = rules();
    const versions = versionsOf(batch);
    return decideRecords(pipelined(sql), {
      locking: {
        catalog: current.catalog,
        adaptorUuids: batch.map(({ adaptor }) => adaptor.uuid),
        routed: versions,
        checked: versions,
        taken: taken?.(),
        newUuid,
      },
      load: (session) => batchReads(session, batch),
      open: (session, state) => openBatch(session, state, batch, newUuid),
      decide: (opened) => decide(current, newUuid, opened),
    });
  });
  const { result, saved } = await within(spans, transaction);
  return toCommitted(batch, result, saved);
};
