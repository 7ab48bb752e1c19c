import { logChanges, type Database, type SqlClient } from '@fds/database';
import type { CatalogView } from '../catalog-view/open-catalog-view.js';
import type { AdaptorView, Catalog, DomainVersionView } from '../domain/catalog.js';
import type { EventOutcome } from '../domain/event-outcome.js';
import type { Channel } from '../domain/meet-adaptor.js';
import { RecordBook, type RecordState } from '../domain/record-book.js';
import { decideFederatedDeletion } from '../domain/writes/decide-federated-deletion.js';
import {
  decideCreation,
  decidePatch,
  decideRemoval,
  decideReplacement,
  patchedKeyDigest,
} from '../domain/writes/decide-write.js';
import type { RecordWrite, WriteResult } from '../domain/writes/record-write.js';
import { refused, type WriteContext, type WriteDecision } from '../domain/writes/write-context.js';
import { advanceChannels, ensureChannels, lockChannels } from '../store/channel.js';
import { loadRecords } from '../store/load-records.js';
import { loadSentDeletions } from '../store/load-sent-deletions.js';
import { lockVersions } from '../store/lock-versions.js';
import { openReferenceBook } from '../store/open-reference-book.js';
import { saveReferences } from '../store/references.js';
import { saveDeliveries, saveEvents, type NumberedDelivery } from '../store/save-outcomes.js';
import { saveRecords } from '../store/save-records.js';
import { toLoggedChange } from '../store/to-logged-change.js';
import { prepareWrites, type PreparedOutcome, type PreparedWrite } from './prepare-writes.js';

export interface WriteDependencies {
  readonly database: Database;
  readonly view: CatalogView;
  readonly now: () => Date;
  readonly newUuid: () => string;
}

export interface WriteOptions {
  /** The person who asks. */
  readonly writerUuid: string;
  /** ALL: where one write is refused, none is done; the results then say what each would have become. Default EACH. */
  readonly atomicity?: 'EACH' | 'ALL';
  /** DECIDE writes nothing: the results say what each would become. Default WRITE. */
  readonly extent?: 'WRITE' | 'DECIDE';
  /** ROUTED keeps no data event of a change that goes to no adaptor. Default ALL. */
  readonly keptEvents?: WriteContext['keptEvents'];
}

/** The catalog changed since the writes were prepared. */
class StaleVersions extends Error {
  constructor(readonly versionUuids: readonly string[]) {
    super('the catalog has changed since');
  }
}

/** unique_violation, foreign_key_violation, serialization_failure, deadlock_detected: another transaction was first */
const repeatable = new Set(['23505', '23503', '40001', '40P01']);
const maxAttempts = 8;

const isRepeatable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && repeatable.has(error.code);

const requireFresh = async (client: SqlClient, versions: readonly DomainVersionView[]): Promise<void> => {
  if (versions.length === 0) return;
  const revisions = await lockVersions(
    client,
    versions.map(({ uuid }) => uuid),
  );
  const stale = versions.filter(({ uuid, revision }) => revisions.get(uuid) !== revision);
  if (stale.length > 0) throw new StaleVersions(stale.map(({ uuid }) => uuid));
};

/** Locks the channels of everybody whom the versions go to; opens those that are missing. */
const lockDestinations = async (
  client: SqlClient,
  destinations: readonly AdaptorView[],
  newUuid: () => string,
): Promise<ReadonlyMap<string, Channel>> => {
  const uuids = [...new Set(destinations.map(({ uuid }) => uuid))];
  if (uuids.length === 0) return new Map();
  const channels = await lockChannels(client, uuids);
  if (channels.size === uuids.length) return channels;
  const missing = uuids.filter((uuid) => !channels.has(uuid));
  await ensureChannels(client, missing, newUuid);
  return lockChannels(client, uuids);
};

/** The catalog whose destinations stay those that have a locked channel. */
const frozenCatalog = (
  catalog: Catalog,
  destinations: ReadonlyMap<string, readonly AdaptorView[]>,
  channels: ReadonlyMap<string, Channel>,
): Catalog => ({
  version: (domainName, versionNumber) => catalog.version(domainName, versionNumber),
  versionByUuid: (uuid) => catalog.versionByUuid(uuid),
  adaptor: (uuid) => catalog.adaptor(uuid),
  destinations: ({ uuid }) => (destinations.get(uuid) ?? []).filter((adaptor) => channels.has(adaptor.uuid)),
});

const decide = (
  context: WriteContext,
  write: PreparedWrite,
  sent: ReadonlyMap<string, ReadonlyMap<string, string>>,
): WriteDecision => {
  const { version } = write;
  if ('read' in write) {
    const decideWhole = write.kind === 'CREATE' ? decideCreation : decideReplacement;
    return decideWhole(context, version, write.read);
  }
  const record = context.book.byUuid(write.recordUuid);
  if (record === undefined) return refused('NOT_FOUND', 'there is no such data record');
  const { changeVersion: current } = record;
  if (write.changeVersion !== undefined && current !== undefined && write.changeVersion !== BigInt(current)) {
    const details = { currentChangeVersion: current };
    return refused('STALE_CHANGE_VERSION', `the record is at changeVersion ${current}`, { details });
  }
  if (write.kind === 'PATCH') return decidePatch(context, version, record, write.patch);
  if (version.domainType === 'SERVICE_DATA_STORE') return decideRemoval(context, version, record);
  if (write.federated === undefined) return refused('INVALID_PARAMETER', 'a federated record is deleted for a zone');
  return decideFederatedDeletion(context, version, record, {
    ...write.federated,
    sent: sent.get(write.recordUuid) ?? new Map(),
  });
};

const numberDeliveries = (channels: ReadonlyMap<string, Channel>, outcomes: readonly EventOutcome[]) => {
  const after = new Map<string, Channel>();
  const deliveries: NumberedDelivery[] = outcomes.flatMap((outcome) =>
    outcome.deliveries.map((delivery) => {
      const channel = after.get(delivery.adaptorUuid) ?? channels.get(delivery.adaptorUuid);
      if (channel === undefined) throw new TypeError('a message for an adaptor whose channel is not locked');
      const sequence = channel.downSequence + 1;
      after.set(delivery.adaptorUuid, { ...channel, downSequence: sequence });
      return { ...delivery, sequence };
    }),
  );
  return { deliveries, channels: [...after.values()] };
};

/** The keys that patches give to records, to find out who has them. */
const patchedKeys = (writes: readonly PreparedWrite[], stored: readonly RecordState[]) => {
  const byUuid = new Map(stored.map((record) => [record.uuid, record]));
  return writes.flatMap((write) => {
    if (write.kind !== 'PATCH') return [];
    const { version, recordUuid, patch } = write;
    const keyDigest = patchedKeyDigest(version, byUuid.get(recordUuid), patch);
    return keyDigest === undefined ? [] : [{ domainVersionUuid: version.uuid, keyDigest }];
  });
};

const isRefused = ({ result }: WriteDecision): boolean => result.outcome === 'REFUSED';

const commitPrepared = (
  { database, view, now, newUuid }: WriteDependencies,
  prepared: readonly PreparedOutcome[],
  { writerUuid, atomicity, extent, keptEvents = 'ALL' }: WriteOptions,
): Promise<WriteResult[]> =>
  database.transaction(async (client) => {
    const writes = prepared.filter((write): write is PreparedWrite => !('refusal' in write));
    const destinations = new Map(writes.map(({ version }) => [version.uuid, view.catalog.destinations(version)]));
    const channels = await lockDestinations(client, [...destinations.values()].flat(), newUuid);
    // what was refused may be allowed by now, too
    const versions = prepared.flatMap(({ version }) => version ?? []);
    await requireFresh(client, [...new Map(versions.map((version) => [version.uuid, version])).values()]);
    const catalog = frozenCatalog(view.catalog, destinations, channels);

    const keys = writes.flatMap((write) =>
      'read' in write ? [{ domainVersionUuid: write.version.uuid, keyDigest: write.read.keyDigest }] : [],
    );
    const uuids = writes.flatMap((write) => ('recordUuid' in write ? [write.recordUuid] : []));
    const named = await loadRecords(client, { keys, uuids });
    const holders = await loadRecords(client, { keys: patchedKeys(writes, named), uuids: [] });
    const stored = [...new Map([...named, ...holders].map((record) => [record.uuid, record])).values()];
    const book = new RecordBook(stored);
    const deletions = writes.filter((write) => write.kind === 'DELETE');
    const isFederated = ({ version }: PreparedWrite): boolean => version.domainType === 'FEDERATED';
    const references = await openReferenceBook(client, {
      catalog,
      book,
      stored,
      written: writes.flatMap((write) => {
        if (write.kind === 'DELETE') return [];
        const json = 'read' in write ? write.read.json : write.patch;
        return json === null ? [] : [{ version: write.version, json }];
      }),
      deletedUuids: deletions.flatMap((write) => (isFederated(write) ? [] : [write.recordUuid])),
    });
    const sent = new Map<string, ReadonlyMap<string, string>>();
    for (const write of deletions.filter(isFederated)) {
      sent.set(write.recordUuid, await loadSentDeletions(client, write.recordUuid));
    }

    const context: WriteContext = {
      catalog,
      governance: view.governance,
      book,
      references,
      writerUuid,
      nowMs: now().getTime(),
      newUuid,
      keptEvents,
    };
    const decisions = prepared.map((write): WriteDecision =>
      'refusal' in write
        ? { result: { outcome: 'REFUSED', error: write.refusal }, outcome: { deliveries: [] } }
        : decide(context, write, sent),
    );
    const results = decisions.map(({ result }) => result);
    if (extent === 'DECIDE' || decisions.every(isRefused) || (atomicity === 'ALL' && decisions.some(isRefused)))
      return results;

    const outcomes = decisions.map(({ outcome }) => outcome);
    const numbered = numberDeliveries(channels, outcomes);
    await saveRecords(client, book.changes());
    await saveReferences(client, references.changes(), (uuid) => book.isStored(uuid));
    await saveEvents(
      client,
      outcomes.flatMap(({ event }) => event ?? []),
    );
    await saveDeliveries(client, numbered.deliveries);
    await advanceChannels(client, numbered.channels);
    await logChanges(
      client,
      outcomes.flatMap(({ change }) => (change === undefined ? [] : [toLoggedChange(change)])),
    );
    return results;
  });

/**
 * The one way in which people's changes reach records: POST, PATCH and DELETE of one, and imports of many. Holds new records
 * against their models, looks up references, keeps keys unique, and sends what changed to the capable adaptors through the
 * outbox; all of it in one transaction of a fixed number of statements, whatever the number of writes (one more for each
 * deletion of a federated record). Later writes see what earlier ones did.
 *
 * A write that is refused does not keep the others back, unless `atomicity` is ALL.
 *
 * @param ahead what `prepareWrites` made of the writes, where that was done before
 * @returns what became of each, in the order given
 * @throws the database's error; nothing is kept then
 */
export const commitWrites = async (
  dependencies: WriteDependencies,
  writes: readonly RecordWrite[],
  options: WriteOptions,
  ahead?: readonly PreparedOutcome[],
): Promise<WriteResult[]> => {
  for (let attempt = 1; ; attempt += 1) {
    const isAhead = attempt === 1 && ahead !== undefined;
    const prepared = isAhead ? ahead : await prepareWrites(dependencies.database.pool, dependencies.view, writes);
    try {
      return await commitPrepared(dependencies, prepared, options);
    } catch (error) {
      if (attempt === maxAttempts) throw error;
      if (error instanceof StaleVersions) await dependencies.view.reloadVersions(error.versionUuids);
      else if (!isRepeatable(error)) throw error;
    }
  }
};
