import { ApplyError, type Adaptor, type AdaptorConfiguration, type AdaptorHandlers } from '@fds/adaptor-sdk';
import type { Knex } from 'knex';
import { isJsonObject, type JsonValue } from '@fds/adaptor-protocol';
import { findFaults, findWarnings } from './check/check-configuration.js';
import { toConfigurationError } from './configuration/fault.js';
import { parseAdaptorMetadata, type DatabaseAdaptorMetadata } from './configuration/adaptor-metadata.js';
import { reportsChanges, type TableMetadata } from './configuration/table-metadata.js';
import { batchLimits, createLanes } from './incoming/create-lanes.js';
import { createLogAccesses } from './scan/log/create-log-accesses.js';
import { dropUnusedLogs, logNameOf } from './scan/log/open-log.js';
import { disconnect, openDatabases, reopen, type OpenedDatabase } from './source/open-databases.js';
import { createSourceGuard } from './state/source-guard.js';
import { readSourceIdentity } from './source/source-identity.js';
import { createSourceTable, type SourceTable } from './source/source-table.js';
import type { StateStore } from './state/adaptor-state.js';
import { openState, type OpenedState } from './state/open-state.js';
import { createFaultBoard } from './table-faults.js';
import { createTableHandler, type TableHandler } from './table-handler.js';

/** The current configuration of the adaptor. */
interface Setup {
  readonly metadata: DatabaseAdaptorMetadata;
  readonly opened: ReadonlyMap<string, OpenedDatabase>;
  readonly connections: readonly Knex[];
  readonly state: OpenedState;
  readonly handlers: ReadonlyMap<string, TableHandler>;
}

/** The running scans. */
interface Scanning {
  readonly controller: AbortController;
  readonly done: Promise<unknown>;
}

const handlerName = (domain: string, version: number): string => `${domain}:${version}`;

/** Drops the slots of tables that are no longer read from the log. */
const dropUnused = async (
  adaptor: Adaptor,
  { tables }: DatabaseAdaptorMetadata,
  opened: ReadonlyMap<string, OpenedDatabase>,
): Promise<void> => {
  const used = tables
    .filter(({ scanMethod }) => scanMethod === 'LOG')
    .map((table) => logNameOf(adaptor.adaptorUuid, table));
  for (const { knex, database } of opened.values()) {
    if (database.address.dialect !== 'postgresql') continue;
    try {
      const dropped = await dropUnusedLogs(knex, adaptor.adaptorUuid, used);
      if (dropped.length > 0) adaptor.log.info({ slots: dropped }, 'replication slots that no table uses were dropped');
    } catch (error) {
      adaptor.log.warn({ err: error }, 'replication slots that no table uses could not be dropped');
    }
  }
};

/** Databases that are not among the others, by their addresses. */
const withoutThose = (
  opened: ReadonlyMap<string, OpenedDatabase>,
  others: ReadonlyMap<string, OpenedDatabase>,
): ReadonlyMap<string, OpenedDatabase> => {
  const addressOf = ({ database }: OpenedDatabase): string => JSON.stringify(database.address);
  const known = new Set([...others.values()].map(addressOf));
  return new Map([...opened].filter(([, one]) => !known.has(addressOf(one))));
};

const tearDown = async ({ connections, state }: Pick<Setup, 'connections' | 'state'>): Promise<void> => {
  await state.close();
  await disconnect(connections);
};

/** @throws ConfigurationError with every fault of the metadata, or of what it states about the model and the source */
const setUp = async (adaptor: Adaptor, file: StateStore, configuration: AdaptorConfiguration): Promise<Setup> => {
  const metadata = parseAdaptorMetadata(configuration.metadata);
  const opened = openDatabases(metadata);
  const connections = [...opened.values()].map(({ knex }) => knex);
  const state = await openState(metadata, adaptor.adaptorUuid);
  const sourceTables = new Map<TableMetadata, SourceTable>();
  const sourceTableOf = (table: TableMetadata): SourceTable => {
    const connection = opened.get(table.dataSource.name);
    if (connection === undefined) throw new Error(`no database ${table.dataSource.name}`);
    const known = sourceTables.get(table);
    const source = known ?? createSourceTable(connection.knex, table, connection.database.address.dialect);
    sourceTables.set(table, source);
    return source;
  };
  try {
    const faults = await findFaults(metadata, configuration, opened, state);
    if (faults.length > 0) throw toConfigurationError(faults);
    await state.prepare();
    // events need the equality of the columns too: it is read once
    const equalitiesOf = (table: TableMetadata) => sourceTableOf(table).equalities();
    const warnings = await findWarnings(metadata.tables, configuration, opened, equalitiesOf);
    for (const warning of warnings) adaptor.log.warn({}, warning);
  } catch (error) {
    await tearDown({ connections, state });
    throw error;
  }
  const logAccess = createLogAccesses(adaptor.adaptorUuid);
  const board = createFaultBoard(adaptor, metadata.tables.length);
  const lanes = createLanes({ places: adaptor.properties.concurrency, nowMs: () => performance.now() });
  const handlers = metadata.tables.map((table) => {
    const { domain, version, dataSource } = table;
    const connection = opened.get(dataSource.name);
    if (connection === undefined) throw new Error(`no database ${dataSource.name}`);
    const key = configuration.domainVersions.find((one) => one.domain === domain && one.version === version);
    const tableState = state.stateOf(table, file);
    const { knex, database } = connection;
    return createTableHandler({
      table: sourceTableOf(table),
      state: tableState,
      adaptor,
      drKeyProperties: key?.drKeyProperties ?? [],
      log: logAccess(table, connection, tableState),
      guard: createSourceGuard({
        identify: () => readSourceIdentity(knex, database.address, table),
        state: tableState,
        accepts: table.sourceChanged === 'ACCEPT',
        // the pool has one connection to a file, which may be the other one
        onReturn: async () => (database.address.dialect === 'sqlite' ? reopen(knex) : undefined),
      }),
      lanes,
      faults: board.table(handlerName(domain, version), dataSource.tableName, reportsChanges(table)),
    });
  });
  return {
    metadata,
    opened,
    connections,
    state,
    handlers: new Map(handlers.map((handler) => [handler.name, handler])),
  };
};

/** Names of the tables in a configuration, as far as it can be read. */
const namesIn = ({ metadata }: AdaptorConfiguration): readonly string[] => {
  const { tables } = metadata;
  return Array.isArray(tables)
    ? tables.flatMap((table: JsonValue) =>
        isJsonObject(table) && typeof table['domain'] === 'string'
          ? [handlerName(table['domain'], Number(table['version']))]
          : [],
      )
    : [];
};

/** The handlers of a database adaptor. `stop` closes the databases. The caller closes the state store. */
export const createDatabaseHandlers = (adaptor: Adaptor, state: StateStore): AdaptorHandlers => {
  let setup: Setup | undefined;
  let scanning: Scanning | undefined;
  /** Tables of a refused configuration. They are DOWN until a configuration is accepted. */
  let refused: readonly string[] = [];

  const startScans = (): void => {
    if (scanning !== undefined || setup === undefined) return;
    const controller = new AbortController();
    scanning = {
      controller,
      done: Promise.all([...setup.handlers.values()].map((handler) => handler.run(controller.signal))),
    };
  };

  const stopScans = async (): Promise<void> => {
    const ending = scanning;
    scanning = undefined;
    ending?.controller.abort();
    await ending?.done;
  };

  return {
    configure: async (configuration) => {
      refused = namesIn(configuration);
      const next = await setUp(adaptor, state, configuration);
      refused = [];
      const wasScanning = scanning !== undefined;
      await stopScans();
      for (const handler of setup?.handlers.values() ?? []) handler.withdraw();
      await dropUnused(adaptor, next.metadata, next.opened);
      if (setup !== undefined) await dropUnused(adaptor, next.metadata, withoutThose(setup.opened, next.opened));
      const old = setup;
      setup = next;
      if (wasScanning) startScans();
      if (old !== undefined) await tearDown(old);
    },
    play: startScans,
    pause: stopScans,
    // the next batch comes together while one is written
    together: 2 * batchLimits.items,
    apply: (event) => {
      const handler = setup?.handlers.get(handlerName(event.domain, event.version));
      if (handler === undefined) {
        throw new ApplyError(`no table is configured for ${handlerName(event.domain, event.version)}`, {
          kind: 'CONFIGURATION',
        });
      }
      return handler.apply(event);
    },
    assemble: (request) => {
      const handler = setup?.handlers.get(handlerName(request.domain, request.version));
      if (handler === undefined)
        throw new Error(`no table is configured for ${handlerName(request.domain, request.version)}`);
      if (setup?.metadata.writeOnly === true) throw new Error('the adaptor is write-only');
      return handler.assemble(request);
    },
    health: () => ({
      ...Object.fromEntries([...(setup?.handlers.values() ?? [])].map(({ name, health }) => [name, health])),
      ...Object.fromEntries(refused.map((name) => [name, 'DOWN' as const])),
    }),
    stop: async () => {
      await stopScans();
      for (const handler of setup?.handlers.values() ?? []) handler.withdraw();
      if (setup !== undefined) await tearDown(setup);
      setup = undefined;
    },
  };
};
