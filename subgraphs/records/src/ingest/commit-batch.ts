import { logChanges, type Database, type SqlSession } from '@fds/database';
import type { GovernanceRules, OperationalRules } from '@fds/governance-rules';
import { saveDecisionCounts } from '@fds/owned-tables';
import type { TakenChanges } from '../domain/taken-changes.js';
import type { Catalog, DomainVersionView } from '../domain/catalog.js';
import { countDecisions } from '../domain/routing/count-decisions.js';
import type { CrossingOutcome, EventOutcome, PlannedDelivery, RaisedIssue } from '../domain/events/event-outcome.js';
import { raiseOversizedMessage } from '../domain/events/raise-oversized-message.js';
import { nearKeysOf } from '../domain/events/near-keys-of.js';
import type { Channel } from '../domain/meet-adaptor.js';
import { mendedBy, type MendedEvents } from '../domain/issues/mended-by.js';
import type { RecordKey } from '../domain/records/record-key.js';
import { matchingsOf } from '../domain/records/near-records.js';
import { Outbox } from '../domain/routing/outbox.js';
import { indexSent } from '../domain/routing/sent-message.js';
import { loadCrossed, seenBy } from './load-crossed.js';
import { wantedOrigins } from './wanted-origins.js';
import { RecordBook } from '../domain/records/record-book.js';
import { advanceChannels, ensureChannels, lockChannels } from '../store/channels/channel.js';
import { forgetAwaitedKeys, saveAwaitedKeys } from '../store/issues/awaited-keys.js';
import type { HeldEvent } from '../store/issues/held-event.js';
import { loadOpenIssues } from '../store/issues/load-open-issues.js';
import { saveMatches, savePresumptions } from '../store/issues/save-matches.js';
import {
  closeIssues,
  closeSuperseded,
  lockOpenIssues,
  removeContinued,
  renameIssues,
} from '../store/issues/settle-issues.js';
import { lockMatching, saveMatchTokens } from '../store/matching/match-tokens.js';
import { requireMatchIndexes } from '../store/matching/require-match-indexes.js';
import { loadRecords } from '../store/records/load-records.js';
import { loadOrigins } from '../store/events/load-origins.js';
import { saveDeliveries, saveEvents, saveIssues } from '../store/events/save-outcomes.js';
import { openReferenceBook } from '../store/references/open-reference-book.js';
import { saveRefusals } from '../store/issues/refusal-notices.js';
import { saveReferences } from '../store/references/references.js';
import { requireFreshCatalog } from '../store/catalog/require-fresh-catalog.js';
import { requireFreshVersions } from '../store/catalog/require-fresh-versions.js';
import { saveRecords } from '../store/records/save-records.js';
import { toLoggedChange } from '../store/records/to-logged-change.js';
import { logIssues, newIssue, type LoggedIssue } from '../store/issues/log-issues.js';
import type { QueuedEvent } from './queued-event.js';
import { decideBatch } from './decide-batch.js';
import { HeldLanes, type LaneKey } from '../domain/issues/held-lanes.js';
import { HeldSettlement } from './held-settlement.js';
import { findOldNews, withNewsBefore } from './old-news.js';
import type { RefusedEvent } from './refused-events.js';
import type { NewIssue } from './tell-refusals.js';

/** The result of a committed batch. */
export interface CommittedBatch {
  /** Channels of its sources after the batch: the acknowledged positions. */
  readonly sources: readonly Channel[];
  /** Channels that got messages, after the batch. */
  readonly destinations: readonly Channel[];
  readonly deliveries: readonly PlannedDelivery[];
  /** The operational chain that denied some of it; undefined: none was denied. */
  readonly deniedBy?: OperationalRules | undefined;
  /** Issues whose events were tried again. */
  readonly tried: ReadonlySet<string>;
  /** Those of them that continued. */
  readonly settled: ReadonlySet<string>;
  /** Lanes that are left to events which wait and were not tried. */
  readonly leftLanes: readonly LaneKey[];
  /** Events for which the catalog lacked something. */
  readonly refused: readonly RefusedEvent[];
  /** Issues of which adaptors are informed. */
  readonly newIssues: readonly NewIssue[];
  /** Events that may continue because of the batch's changes to records. */
  readonly mended: readonly MendedEvents[];
  /** Keys that events of the batch wait for. Nothing announces records that arrived in the meantime. */
  readonly awaited: readonly RecordKey[];
  /** The result of events that crossed others. */
  readonly crossed: readonly CrossingOutcome[];
}

export interface CommitDependencies {
  readonly database: Database;
  readonly newUuid: () => string;
  /** Catalog and chains at the time of the call. */
  readonly rules: () => {
    readonly catalog: Catalog;
    readonly governance: GovernanceRules;
    readonly operational: OperationalRules;
  };
  /** The changes that the rules show at the call. Absent: the rules are trusted. */
  readonly taken?: () => TakenChanges;
}

const versionsOf = (batch: readonly QueuedEvent[]): DomainVersionView[] => [
  ...new Map(batch.flatMap(({ event: { version } }) => (version ? [[version.uuid, version] as const] : []))).values(),
];

/**
 * The catalog at this moment: the destinations stay those whose channels are locked, though the view changes while the
 * transaction waits.
 */
const freezeDestinations = (catalog: Catalog, batch: readonly QueuedEvent[]): Catalog => {
  const destinations = new Map(versionsOf(batch).map((version) => [version.uuid, catalog.destinations(version)]));
  return {
    version: (domainName, versionNumber) => catalog.version(domainName, versionNumber),
    versionByUuid: (uuid) => catalog.versionByUuid(uuid),
    adaptor: (uuid) => catalog.adaptor(uuid),
    destinations: ({ uuid }) => destinations.get(uuid) ?? [],
  };
};

/** Adaptors without a channel were deleted since the view was brought up to date. */
const withoutDeleted = (catalog: Catalog, channels: ReadonlyMap<string, Channel>): Catalog => ({
  ...catalog,
  destinations: (version) => catalog.destinations(version).filter(({ uuid }) => channels.has(uuid)),
});

const involvedAdaptors = (catalog: Catalog, batch: readonly QueuedEvent[]): string[] => {
  const involved = new Set<string>();
  for (const { adaptor, event } of batch) {
    involved.add(adaptor.uuid);
    if (event.version === undefined) continue;
    for (const destination of catalog.destinations(event.version)) involved.add(destination.uuid);
  }
  return [...involved];
};

const keysOf = (batch: readonly QueuedEvent[]): LaneKey[] =>
  batch.flatMap(({ adaptor, event: { version, key } }) =>
    version === undefined || key === undefined
      ? []
      : [{ adaptorUuid: adaptor.uuid, domainVersionUuid: version.uuid, keyDigest: key.digest }],
  );

/** Records that adaptors name by uuid alone: their key is that of the adaptor's link. */
const linkedOf = (batch: readonly QueuedEvent[]): { readonly adaptorUuid: string; readonly recordUuid: string }[] =>
  batch.flatMap(({ adaptor, event }) =>
    event.key === undefined && event.drUuid !== undefined
      ? [{ adaptorUuid: adaptor.uuid, recordUuid: event.drUuid }]
      : [],
  );

/** Those that adaptors name, and those that were decided on. */
const recordUuidsOf = (batch: readonly QueuedEvent[]): string[] =>
  batch.flatMap(({ event, held }) => [
    ...('drUuid' in event && event.drUuid !== undefined ? [event.drUuid] : []),
    ...(held?.order?.settled?.drUuid ? [held.order.settled.drUuid] : []),
  ]);

const issuesOf = ({ issue, presumption }: EventOutcome): RaisedIssue[] => [
  ...(issue === undefined ? [] : [issue]),
  ...(presumption === undefined ? [] : [presumption]),
];

/** The changes of issues, for the change log. An event that only waits behind an issue is not an issue. */
const loggedIssues = (raised: readonly RaisedIssue[], settlement: HeldSettlement): LoggedIssue[] => [
  ...raised.filter(({ cause }) => cause !== 'HELD').map(newIssue),
  ...settlement.closed.map(({ uuid, recordUuid, by }) => ({
    uuid,
    recordUuid,
    action: by?.action ?? 'PUT',
    actorUuid: by?.actorUuid,
  })),
  ...settlement.superseded.map(({ uuid }) => ({ uuid, action: 'PUT' as const })),
  ...settlement.renamed.map((issue) =>
    issue.wasWaiting
      ? newIssue(issue)
      : { uuid: issue.uuid, action: issue.by?.action ?? 'PUT', actorUuid: issue.by?.actorUuid },
  ),
];

/**
 * Which of the batch follow their channel's position; the others are duplicates, lie beyond a gap, or are of an adaptor
 * that was deleted.
 */
const inSequence = (channels: ReadonlyMap<string, Channel>, batch: readonly QueuedEvent[]) => {
  const applied = new Map<string, number>();
  let latest: QueuedEvent['position'];
  const accepted = batch.filter(({ adaptor, position }) => {
    const channel = channels.get(adaptor.uuid);
    if (channel === undefined) return false;
    if (position === undefined || position === latest) return true;
    if (channel.upEpoch !== position.epoch) return false;
    const last = applied.get(adaptor.uuid) ?? channel.upApplied;
    if (position.sequence !== last + 1) return false;
    applied.set(adaptor.uuid, position.sequence);
    latest = position;
    return true;
  });
  return { accepted, applied };
};

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

const lanesOf = ({ adaptorUuid, domainVersionUuid, keyDigest }: HeldEvent): LaneKey[] =>
  domainVersionUuid === null || keyDigest === null ? [] : [{ adaptorUuid, domainVersionUuid, keyDigest }];

/** Locks channels and versions, and then reads and locks what the batch may touch. */
const load = async (
  session: SqlSession,
  taken: TakenChanges | undefined,
  involved: readonly string[],
  batch: readonly QueuedEvent[],
) => {
  const keys = keysOf(batch);
  const matchings = matchingsOf(versionsOf(batch));
  const waiting = batch.flatMap(({ held }) => held ?? []);
  const issueUuids = waiting.map(({ issueUuid }) => issueUuid);
  const [channels, , , , , open, held, oldNews, { records, removedLinks }] = await Promise.all([
    lockChannels(session, involved),
    taken === undefined ? undefined : requireFreshCatalog(session, taken),
    requireFreshVersions(session, versionsOf(batch)),
    lockMatching(session, [...matchings.keys()]),
    requireMatchIndexes(session, matchings),
    lockOpenIssues(session, issueUuids),
    // a batch settles these and an unreadable one in front of them; then the next one holds the lane
    loadOpenIssues(session, [...keys, ...waiting.flatMap(lanesOf)], linkedOf(batch), issueUuids.length + 2),
    findOldNews(session, batch),
    loadRecords(session, {
      keys,
      uuids: recordUuidsOf(batch),
      near: matchings.size === 0 ? [] : nearKeysOf(batch.map(({ event }) => event)),
    }),
  ]);
  return { channels, open, lanes: new HeldLanes(held), oldNews, records, removedLinks, matchings };
};

/**
 * Decides on a batch and commits it in one transaction of a fixed number of statements, in three round trips: reads, writes,
 * the commit. A batch of data-store records with references takes a fourth.
 *
 * @throws StaleCatalog and StaleVersions when the catalog has changed since the events were read,
 *   IncompleteMatchIndexes, and the database's error; the batch is then not saved at all
 */
export const commitBatch = (
  { database, newUuid, rules, taken }: CommitDependencies,
  batch: readonly QueuedEvent[],
): Promise<CommittedBatch> =>
  database.pipelinedTransaction(async (session) => {
    const { catalog: view, governance, operational } = rules();
    const shown = taken?.();
    const frozen = freezeDestinations(view, batch);
    const involved = involvedAdaptors(frozen, batch);
    let loaded = await load(session, shown, involved, batch);
    if (loaded.channels.size < involved.length) {
      const absent = involved.filter((uuid) => !loaded.channels.has(uuid));
      await ensureChannels(session, absent, newUuid);
      loaded = await load(session, shown, involved, batch);
    }
    const { channels, open, lanes } = loaded;
    const catalog = channels.size < involved.length ? withoutDeleted(frozen, channels) : frozen;
    const { accepted, applied } = inSequence(channels, batch);
    const oldNews = withNewsBefore(loaded.oldNews, accepted);
    const book = new RecordBook(loaded.records, loaded.matchings, loaded.removedLinks);
    const [references, crossed, origins] = await Promise.all([
      openReferenceBook(session, {
        catalog,
        book,
        stored: loaded.records,
        written: writtenBy(accepted),
        deletedUuids: deletedUuidsOf(book, accepted),
      }),
      loadCrossed(session, channels, accepted, loaded),
      loadOrigins(session, wantedOrigins(accepted, loaded.records)),
    ]);

    const outbox = new Outbox((uuid) => channels.get(uuid), crossed, indexSent(origins));
    const waited = new HeldSettlement(open, lanes);
    const { outcomes, refused, newIssues } = decideBatch(
      { catalog, governance, operational, book, outbox, references, newUuid },
      accepted,
      { lanes, settlement: waited, oldNews },
      (queued) => seenBy(channels.get(queued.adaptor.uuid), queued),
    );
    const deliveries = outcomes.flatMap((outcome) => outcome.deliveries);

    outbox.requireAll(deliveries);
    const after = [...channels.values()].map((channel) => ({
      ...channel,
      downSequence: outbox.last(channel.adaptorUuid) ?? channel.downSequence,
      upApplied: applied.get(channel.adaptorUuid) ?? channel.upApplied,
    }));
    const undelivered = outbox.leftOut.map((message) => raiseOversizedMessage(newUuid(), message));
    const raised = [...outcomes.flatMap(issuesOf), ...undelivered];
    const waiting = [...raised, ...waited.renamed];
    const [, , forgotten] = await Promise.all([
      saveRecords(session, book.changes()),
      saveMatchTokens(session, book.tokenChanges()),
      saveReferences(session, references.changes(), (uuid) => book.isStored(uuid)),
      saveEvents(
        session,
        outcomes.flatMap(({ event }) => event ?? []),
      ),
      saveDeliveries(session, deliveries),
      saveIssues(session, raised),
      saveRefusals(session, newIssues),
      savePresumptions(
        session,
        outcomes.flatMap(({ presumption }) => presumption ?? []),
      ),
      saveMatches(session, [...raised, ...waited.matched]),
      closeIssues(session, waited.closed),
      renameIssues(session, waited.renamed),
      removeContinued(session, waited.continued),
      closeSuperseded(session, waited.superseded),
      forgetAwaitedKeys(
        session,
        [...waited.closed, ...waited.renamed].map(({ uuid }) => uuid),
      ),
      saveAwaitedKeys(session, waiting),
      saveDecisionCounts(session, countDecisions(outcomes)),
      advanceChannels(
        session,
        after.filter(({ adaptorUuid }) => outbox.last(adaptorUuid) !== undefined || applied.has(adaptorUuid)),
      ),
      logChanges(
        session,
        outcomes.flatMap(({ change }) => (change === undefined ? [] : [toLoggedChange(change)])),
      ),
      // the statements of a session run in order: the issues have their final state
      logIssues(session, loggedIssues(raised, waited)),
    ]);

    const sources = new Set(batch.filter(({ position }) => position !== undefined).map(({ adaptor }) => adaptor.uuid));
    return {
      sources: after.filter(({ adaptorUuid }) => sources.has(adaptorUuid)),
      destinations: after.filter(({ adaptorUuid }) => outbox.last(adaptorUuid) !== undefined),
      deliveries,
      deniedBy:
        waited.isDenied || outcomes.some(({ issue }) => issue?.cause === 'OPERATIONAL') ? operational : undefined,
      tried: waited.tried,
      settled: new Set([...waited.closed.map(({ uuid }) => uuid), ...waited.continued]),
      leftLanes: waited.leftLanes(),
      refused,
      newIssues,
      mended: mendedBy(book, forgotten),
      awaited: waiting.flatMap(({ awaits = [] }) => awaits),
      crossed: outcomes.flatMap(({ crossed }) => crossed ?? []),
    };
  });
