import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '@fds/json';
import { createGiveWay } from '@fds/service';
import type { EventSource } from '../../domain/routing/ask-governance.js';
import type { AdaptorView } from '../../domain/catalog.js';
import { loadChannels } from '../../store/channels/channel.js';
import type { ReadRecord } from '../domain/carry-out-effects.js';
import { listPairs, type ValueFacts } from '../domain/choose-values.js';
import { compareRecord, type Comparison, type Reading, type Side } from '../domain/compare-record.js';
import { planEffects } from '../domain/plan-effects.js';
import type { Difference } from '../store/differences.js';
import { loadCommits, loadTiers, reloadRecords, type CommittedChange, type PageRecord } from '../store/job-pages.js';
import type { Reconciliation, ReconciliationCounts } from '../store/reconciliation.js';
import { readSides, type ReadingDependencies, type ReconciledSides, type SideReadings } from './read-sides.js';

/** A page of records after it was compared. */
export interface ComparedPage {
  /** All but `sent`. */
  readonly counts: Omit<ReconciliationCounts, 'sent'>;
  readonly byProperty: Readonly<Record<string, number>>;
  /** Records that governance keeps from the zone. */
  readonly denied: number;
  readonly unread: ReadonlyMap<string, string>;
  /** A question or an answer exceeds a bound: the page has to be smaller. */
  readonly isTooLarge: boolean;
  readonly differences: readonly Difference[];
  /** Records with effects. */
  readonly effects: readonly (ReadRecord & { readonly keyDigest: string })[];
}

interface ComparedRecord {
  readonly record: PageRecord;
  readonly here: Side;
  readonly others: readonly Side[];
  readonly comparison: Comparison;
  readonly readings: ReadonlyMap<string | null, Reading>;
  readonly lastUpdated: ReadonlyMap<string | null, number>;
}

/** Messages to an adaptor about the record are on their way: its answer may be older than them. */
const isUnsettled = (record: PageRecord, acked: ReadonlyMap<string, number>): boolean =>
  [...acked].some(([uuid, upTo]) => {
    const known = record.links.get(uuid)?.known ?? record.expected.get(uuid);
    return (known?.sent.at(-1)?.sequence ?? 0) > upTo;
  });

const compareAll = (
  job: Reconciliation,
  { version, here, others }: ReconciledSides,
  records: readonly PageRecord[],
  { readings, lastUpdated }: SideReadings,
): readonly ComparedRecord[] => {
  const properties = job.properties === null ? undefined : new Set(job.properties);
  const otherUuids = version.domainType === 'SERVICE_DATA_STORE' ? [null] : others.map(({ uuid }) => uuid);
  return records.map((record) => {
    const of = readings.get(record.uuid) ?? new Map<string | null, Reading>();
    const sideOf = (uuid: string | null): Side => ({
      uuid,
      reading: of.get(uuid) ?? { kind: 'UNREAD', isLinked: false },
    });
    const [own, rest] = [sideOf(here.uuid), otherUuids.map(sideOf)];
    return {
      record,
      here: own,
      others: rest,
      comparison: compareRecord(own, rest, properties),
      readings: of,
      lastUpdated: lastUpdated.get(record.uuid) ?? new Map<string | null, number>(),
    };
  });
};

const settleMs = 150;
const maxRounds = 4;

/** Records, and the last message that each adaptor had acknowledged before they were loaded. */
export interface LoadedPage {
  readonly records: readonly PageRecord[];
  readonly acked: ReadonlyMap<string, number>;
}

/**
 * The last acknowledged messages of the adaptors. They are read before the records: a message that is queued in between counts as on
 * its way.
 */
export const loadAcked = async (
  { database }: Pick<ReadingDependencies, 'database'>,
  { here, others }: ReconciledSides,
): Promise<ReadonlyMap<string, number>> => {
  const channels = await loadChannels(
    database.pool,
    [here, ...others].map(({ uuid }) => uuid),
  );
  return new Map([...channels].map(([uuid, { downAcked }]) => [uuid, downAcked]));
};

/**
 * Reads and compares records. Records that differ while messages about them are on their way are read again.
 */
const compareSettled = async (
  dependencies: ReadingDependencies,
  job: Reconciliation,
  sides: ReconciledSides,
  page: LoadedPage,
  signal: AbortSignal,
) => {
  const compared = new Map<string, ComparedRecord>();
  const unread = new Map<string, string>();
  const denied = new Set<string>();
  let { records, acked } = page;
  let isTooLarge = false;
  for (let round = 1; ; round += 1) {
    const read = await readSides(dependencies, sides, records, signal);
    for (const [uuid, reason] of read.unread) unread.set(uuid, reason);
    for (const uuid of read.denied) denied.add(uuid);
    isTooLarge ||= read.isTooLarge;
    for (const each of compareAll(job, sides, records, read)) compared.set(each.record.uuid, each);
    const unsettled = records
      .filter((record) => compared.get(record.uuid)?.comparison.kind !== 'EQUAL' && isUnsettled(record, acked))
      .map(({ uuid }) => uuid);
    if (round === maxRounds || unsettled.length === 0 || read.unread.size > 0) break;
    await wait(settleMs, undefined, { signal });
    acked = await loadAcked(dependencies, sides);
    records = await reloadRecords(dependencies.database.pool, sides.version, unsettled);
    // a record that is gone does not count
    for (const uuid of unsettled) compared.delete(uuid);
  }
  return { compared: [...compared.values()], unread, denied, isTooLarge };
};

const factsFor = (
  { version, here, others }: ReconciledSides,
  { record, lastUpdated }: ComparedRecord,
  tiers: ReadonlyMap<string, number>,
  commits: readonly CommittedChange[],
): ValueFacts => {
  const names = new Map([here, ...others].map(({ uuid, name }) => [uuid, name]));
  const isStored = version.domainType === 'SERVICE_DATA_STORE';
  const isOf = (
    side: string | null,
    { sourceAdaptorUuid: source, notStored }: CommittedChange,
    property: string,
  ): boolean => {
    if (!isStored || side !== null) return source === side;
    return source !== here.uuid && notStored !== 'ALL' && !notStored.includes(property);
  };
  return {
    tierOf: (side) => (side === null ? 0 : (tiers.get(side) ?? 2)),
    nameOf: (side) => (side === null ? '' : (names.get(side) ?? '')),
    changedAt: (side) => lastUpdated.get(side) ?? (side === null ? 0 : (record.linkedAt.get(side) ?? 0)),
    committedAt: (side, property) => {
      const place = commits.findIndex(
        (commit) => isOf(side, commit, property) && (commit.changed === null || commit.changed.includes(property)),
      );
      return place === -1 ? -1 : commits.length - place;
    },
    togetherWith: (property) => version.model.propertyGroups.find((group) => group.includes(property)) ?? [property],
  };
};

const countNames = {
  EQUAL: 'equal',
  DIFFERING: 'differing',
  MISSING_HERE: 'missingHere',
  MISSING_THERE: 'missingThere',
  UNREADABLE: 'unreadable',
} as const;

const valueAt = (readings: ReadonlyMap<string | null, Reading>, side: string | null, property: string): JsonValue => {
  const reading = readings.get(side);
  return reading?.kind === 'VALUES' ? (reading.values[property] ?? null) : null;
};

const needsCommits = ({ values }: Reconciliation): boolean => values === 'LATEST' || values === 'PREFERENCES';

/** Reads, compares and decides on a page of records. Changes nothing. */
export const comparePage = async (
  dependencies: ReadingDependencies,
  job: Reconciliation,
  sides: ReconciledSides,
  page: LoadedPage,
  signal: AbortSignal,
): Promise<ComparedPage> => {
  const { version, here, others } = sides;
  const { compared, unread, denied, isTooLarge } = await compareSettled(dependencies, job, sides, page, signal);
  const { database } = dependencies;
  const differing = compared.filter(({ comparison }) => comparison.kind === 'DIFFERING');
  const commits = needsCommits(job)
    ? await loadCommits(
        database,
        differing.map(({ record }) => record.uuid),
      )
    : new Map<string, readonly CommittedChange[]>();
  const tiers = await loadTiers(database.pool, job.zoneUuid, version.uuid);
  const zones = new Map([here, ...others].map(({ uuid, zoneUuid }: AdaptorView) => [uuid, zoneUuid]));
  const sourceOf = (uuid: string | null): EventSource => ({
    uuid,
    zoneUuid: (uuid === null ? undefined : zones.get(uuid)) ?? version.zoneUuid,
  });
  const counts = { equal: 0, differing: 0, missingHere: 0, missingThere: 0, unreadable: 0 };
  const byProperty: Record<string, number> = {};
  const differences: Difference[] = [];
  const effects: (ReadRecord & { readonly keyDigest: string })[] = [];
  let deniedRecords = 0;
  const giveWay = createGiveWay();
  for (const each of compared) {
    await giveWay();
    const { record, comparison, readings } = each;
    const { kind } = comparison;
    if (kind === 'ABSENT') continue;
    counts[countNames[kind]] += 1;
    if (kind === 'UNREADABLE' && denied.has(record.uuid)) deniedRecords += 1;
    const planned = planEffects(job, each, factsFor(sides, each, tiers, commits.get(record.uuid) ?? []), sourceOf);
    for (const property of new Set(comparison.pairs.map((pair) => pair.property))) {
      byProperty[property] = (byProperty[property] ?? 0) + 1;
    }
    if (kind === 'DIFFERING' || kind === 'MISSING_HERE' || kind === 'MISSING_THERE') {
      const pairs = listPairs(each, planned.chosen).map((pair) => ({
        ...pair,
        value: valueAt(readings, here.uuid, pair.property),
        otherValue: valueAt(readings, pair.otherUuid, pair.property),
      }));
      differences.push({ recordUuid: record.uuid, kind, drKey: record.drKey, pairs });
    }
    if (planned.values.length + planned.records.length === 0) continue;
    const stored = readings.get(null);
    const json: JsonObject | undefined = stored?.kind === 'VALUES' ? stored.values : undefined;
    effects.push({
      recordUuid: record.uuid,
      keyDigest: record.keyDigest,
      readings,
      knownBefore: new Map(
        [here, ...others].map(({ uuid }) => [uuid, record.links.get(uuid)?.known ?? record.expected.get(uuid)]),
      ),
      values: planned.values,
      records: planned.records,
      stored: json === undefined ? null : { json, changeVersion: record.changeVersion },
    });
  }
  return { counts, byProperty, denied: deniedRecords, unread, isTooLarge, differences, effects };
};
