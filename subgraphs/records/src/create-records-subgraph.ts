import { readFileSync } from 'node:fs';
import type { ServerBus } from '@fds/adaptor-bus';
import type { Assembler, RecordCollector } from '@fds/assembly-contract';
import type { Database } from '@fds/database';
import { buildSchemaOf, type Subgraph } from '@fds/graphql';
import { createRecordTypeRegistry } from '@fds/record-types';
import { createLifetime, type Log } from '@fds/service';
import { createMatchIndexes } from './upkeep/create-match-indexes.js';
import { createRecordCounts } from './reading/listing/create-record-counts.js';
import { createRemainsClearer } from './upkeep/create-remains-clearer.js';
import { createRetention, type RetentionPeriods } from './upkeep/create-retention.js';
import { openCatalogView, type CatalogView } from './catalog-view/open-catalog-view.js';
import { createRecordTypeFeed, type RecordTypeFeed } from './doors/record-types/record-type-feed.js';
import { countDecided, noMeter, type EventMeter } from './domain/events/event-meter.js';
import type { CrossingOutcome } from './domain/events/event-outcome.js';
import { createIngest, type Ingest } from './exchange/ingest/create-ingest.js';
import { createWebhookAdaptors } from './exchange/webhooks/create-webhook-adaptors.js';
import { createGapWatch } from './issues/settlement/create-gap-watch.js';
import { createRepairWatch } from './issues/settlement/create-repair-watch.js';
import { createMassDeletions, type MassDeletions } from './issues/brake/create-mass-deletions.js';
import { createPreviewSchedule } from './reconciliation/job/create-preview-schedule.js';
import { createReconciliations, type Reconciliations } from './reconciliation/job/create-reconciliations.js';
import { createRedeliveryJobs, type RedeliveryJobs } from './reconciliation/redelivery/create-redelivery-jobs.js';
import type { WebhookPorts } from './exchange/webhooks/webhook-ports.js';
import { openLeases, type Leases } from './exchange/relay/open-leases.js';
import { openRelay } from './exchange/relay/open-relay.js';
import type { RecordsWriting } from './writing/writes/resolvers/require-written.js';
import type { ListingAccess } from './reading/listing/resolvers/list-data-records.js';
import type { ImportLimits } from './writing/imports/resolvers/import-data-records.js';
import { createRecordTypeResolvers } from './doors/record-types/resolvers/record-type-resolvers.js';
import { createRecordReader, type RecordReader } from './doors/resolvers/create-record-reader.js';
import { createRecordReads } from './doors/resolvers/create-record-reads.js';
import { createStaticResolvers } from './doors/resolvers/static-resolvers.js';
import { createListingMemory } from './reading/listing/store/listing-memory.js';
import { createSearchIndexes } from './reading/search-indexes/create-search-indexes.js';

export interface RecordsDependencies {
  readonly database: Database;
  /** The server's end of the adaptor bus: `data`, `hello`, `ack` and `link` are taken over at start. */
  readonly bus: ServerBus;
  readonly assembler: Assembler;
  /** Asks adaptors for reconciliations. Default: none is run here. */
  readonly collector?: RecordCollector;
  readonly log: Log;
  readonly now: () => Date;
  /** UUID version 7. */
  readonly newUuid: () => string;
  /** This process; different at every start. */
  readonly instanceUuid: string;
  /** After that long without a sign of life another process serves an adaptor, in milliseconds. Default 3000. */
  readonly leaseMs?: number;
  /** Bound of the bulk import. Default: files of 10 MiB, rows of 1 MiB. */
  readonly importLimits?: ImportLimits;
  /** Heap that schemas of record types may retain. Default: that of the registry. */
  readonly schemaBytes?: number;
  /** How long history is kept. Default: for ever. */
  readonly retention?: RetentionPeriods;
  /** Called for every event that crossed others, once it is committed. It must not throw. Default: no call. */
  readonly onCrossed?: (outcome: CrossingOutcome) => void;
  /** Runs the webhook adaptors. Default: none is run. */
  readonly webhooks?: WebhookPorts;
  /** Called for each message of an adaptor that is larger than the bus allows. It must not throw. Default: no effect. */
  readonly onOversized?: () => void;
  /** Takes the figures of data events. Default: they are not kept. */
  readonly meter?: EventMeter;
}

const defaultImportLimits: ImportLimits = { maxFileBytes: 10 * 2 ** 20, maxRowBytes: 2 ** 20 };

/** The records subgraph, with the record types that it has at present. */
export interface RecordsSubgraph extends Subgraph {
  readonly recordTypes: RecordTypeFeed;
  readonly readRecord: RecordReader;
  /** The adaptors that this process serves, and those that it took over since its start. */
  leases(): Pick<Leases, 'count' | 'takeovers'>;
}

const typeDefs = readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8');

/**
 * States in which an adaptor takes data events. It says hello before it reports STARTED, and stays connected while ERROR
 * says that a source of it cannot be used.
 */
const playing = new Set(['STARTING', 'STARTED', 'ERROR']);

/**
 * Creates the records subgraph: ingest, relay, listings, and the `dr_...` types. Nothing runs before `start`, and the
 * schema has no record types until then. Database, bus and assembler stay the caller's to close.
 */
export const createRecordsSubgraph = (dependencies: RecordsDependencies): RecordsSubgraph => {
  const { database, bus, assembler, collector, log, now, newUuid, instanceUuid, leaseMs } = dependencies;
  const importLimits = dependencies.importLimits ?? defaultImportLimits;
  const onCrossed = dependencies.onCrossed ?? (() => undefined);
  const onOversized = dependencies.onOversized ?? (() => undefined);
  const meter = dependencies.meter ?? noMeter;
  const lifetime = createLifetime();
  const recordTypes = createRecordTypeFeed();
  let view: CatalogView | undefined;
  let ingest: Ingest | undefined;
  let leases: Leases | undefined;
  let massDeletions: MassDeletions | undefined;
  let reconciliations: Reconciliations | undefined;
  let redeliveries: RedeliveryJobs | undefined;
  const requireView = (): CatalogView => {
    if (view === undefined) throw new TypeError('the records subgraph was asked before it was started');
    return view;
  };

  const requireIngest = (): Ingest => {
    if (ingest === undefined) throw new TypeError('the records subgraph was asked before it was started');
    return ingest;
  };

  const requireMassDeletions = (): MassDeletions => {
    if (massDeletions === undefined) throw new TypeError('the records subgraph was asked before it was started');
    return massDeletions;
  };

  const searchIndexes = lifetime.own(createSearchIndexes({ database, log, catalog: () => requireView().catalog }));
  const recordCounts = lifetime.own(createRecordCounts({ database, log }));
  const listing = { searchIndexes, listingMemory: createListingMemory(), recordCounts };
  const access: RecordsWriting & ListingAccess = {
    database,
    now,
    newUuid,
    view: requireView,
    ...listing,
    onUnblocked: (unblocked) => {
      for (const events of unblocked) ingest?.parked.release(events);
    },
    onDecided: (outcomes) => countDecided(meter, outcomes),
  };
  const reads = createRecordReads(access);
  const { schemaBytes } = dependencies;
  const registry = createRecordTypeRegistry({
    ...(schemaBytes === undefined ? {} : { maxSchemaBytes: schemaBytes }),
    staticSchema: buildSchemaOf(
      typeDefs,
      createStaticResolvers(
        {
          ...access,
          parked: () => requireIngest().parked,
          massDeletions: requireMassDeletions,
          onReconciliation: () => reconciliations?.check(),
          onRedelivery: () => redeliveries?.check(),
          ...importLimits,
        },
        reads,
      ),
    ),
    resolvers: createRecordTypeResolvers({ ...access, assembler }),
  });
  recordTypes.onRecordTypesChanged((changes) => {
    for (const change of changes) {
      try {
        if (change.kind === 'PUT') registry.put(change.definition);
        else registry.remove(change.typeName);
      } catch (error) {
        // one version whose types clash must not keep the others out
        log.error({ err: error }, 'the types of a domain version cannot be added');
      }
    }
  });

  const start = async (): Promise<void> => {
    const opened = lifetime.own(await openCatalogView({ database, log }));
    view = opened;
    recordTypes.update(opened.catalog.versions());

    const clock = await database.pool.query<{ readonly at: Date }>('SELECT clock_timestamp() AS at');
    const openedAt = clock.rows[0]?.at ?? now();

    const { webhooks: ports } = dependencies;
    const webhooks =
      ports === undefined ? undefined : createWebhookAdaptors({ ...ports, database, view: opened, log, now });
    const relay = lifetime.own(
      await openRelay({
        database,
        bus,
        log,
        now,
        newUuid,
        meter,
        ...(webhooks === undefined ? {} : { openVirtual: webhooks.openOutlet }),
        plays: (adaptorUuid) => {
          const adaptor = opened.catalog.adaptor(adaptorUuid);
          return adaptor !== undefined && adaptor.active && playing.has(adaptor.state);
        },
      }),
    );
    const held = lifetime.own(
      openLeases({
        database,
        instanceUuid,
        log,
        bus,
        ...(leaseMs === undefined ? {} : { leaseMs }),
        onTakenOver: (adaptorUuids) => {
          ingest?.takeOver(adaptorUuids).catch((error: unknown) => log.warn({ err: error }, 'a take-over failed'));
        },
        onLost: (adaptorUuids) => ingest?.drop(adaptorUuids),
        onGiven: (adaptorUuid) => ingest?.handOver(adaptorUuid) ?? Promise.resolve(),
      }),
    );
    leases = held;
    const matchIndexes = lifetime.own(createMatchIndexes({ database, log, versions: () => opened.catalog.versions() }));
    opened.onChanged(() => {
      matchIndexes.refresh();
      recordTypes.update(opened.catalog.versions());
      relay.check();
    });
    ingest = lifetime.own(
      createIngest({
        database,
        bus,
        view: opened,
        leases: held,
        relay,
        log,
        now,
        newUuid,
        openedAt,
        onCrossed,
        onOversized,
        meter,
      }),
    );
    massDeletions = lifetime.own(
      createMassDeletions({ database, assembler, view: opened, parked: ingest.parked, log, now, newUuid }),
    );
    massDeletions.check();
    redeliveries = lifetime.own(
      createRedeliveryJobs({ database, assembler, view: opened, log, now, newUuid, instanceUuid }),
    );
    redeliveries.check();
    const { parked } = ingest;
    if (collector !== undefined) {
      reconciliations = lifetime.own(
        createReconciliations({
          database,
          collector,
          view: opened,
          log,
          now,
          newUuid,
          instanceUuid,
          onUnblocked: (unblocked) => {
            for (const events of unblocked) parked.release(events);
          },
        }),
      );
      reconciliations.check();
      const onStarted = (): void => reconciliations?.check();
      const schedule = { database, view: opened, log, now, newUuid, onStarted };
      void lifetime.own(createPreviewSchedule(schedule)).check();
    }
    lifetime.own(createRepairWatch({ database, log })).check();
    lifetime.own(createGapWatch({ database, log }));
    if (webhooks !== undefined) lifetime.own(webhooks).start({ ingest, leases: held });
    const clearer = lifetime.own(createRemainsClearer({ database, log }));
    opened.onAdaptorDeleted(clearer.clear);
    // remains of adaptors that were deleted while no process followed the change log
    clearer.clear();
    const periods = dependencies.retention ?? { eventDays: 0, issueDays: 0 };
    lifetime.own(createRetention({ database, log, now, periods })).check();
    searchIndexes.sweep();
    recordCounts.check();
    matchIndexes.refresh();
  };

  let starting: Promise<void> | undefined;
  return {
    name: 'records',
    typeDefs,
    get schema() {
      return registry.schema();
    },
    schemaFor: (document) => registry.schemaFor(document),
    shortcutFor: (document) => registry.shortcutFor(document),
    recordTypes,
    readRecord: createRecordReader(access, reads),
    leases: () => ({ count: leases?.count ?? 0, takeovers: leases?.takeovers ?? 0 }),
    start: () => (starting ??= start()),
    close: async () => {
      await starting?.catch(() => undefined);
      await lifetime.close();
    },
  };
};
