import type { AdaptorError } from '@fds/adaptor-protocol';
import type { Adaptor, OutgoingEvent, SourceFault } from '@fds/adaptor-sdk';
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { parseAdaptorMetadata } from '../configuration/adaptor-metadata.js';
import { reportsChanges } from '../configuration/table-metadata.js';
import { createLanes } from '../incoming/create-lanes.js';
import { createLogAccesses } from '../scan/log/create-log-accesses.js';
import { disconnect, openDatabases, reopen } from '../source/open-databases.js';
import { createSourceGuard } from '../state/source-guard.js';
import { readSourceIdentity } from '../source/source-identity.js';
import { createSourceTable } from '../source/source-table.js';
import { openFileStore } from '../state/open-file-store.js';
import { createFaultBoard } from '../table-faults.js';
import { createTableHandler, type TableHandler } from '../table-handler.js';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

/** Options of a table that is read like a process does it. */
interface PlayOptions {
  /** Members of `databases.main.properties`. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** The table entry; `domain`, `version` and `dataSource.name` have values already. */
  readonly table: Readonly<Record<string, unknown>> & {
    readonly dataSource: { readonly schema?: string; readonly tableName: string };
  };
  readonly stateFile: string;
  readonly adaptorUuid?: string;
  readonly logRetryMs?: number;
  /** What happens with each event. */
  readonly publish?: (event: OutgoingEvent) => Promise<void>;
  readonly drKeyProperties: readonly string[];
  /** False: the table is not scanned, like in a paused adaptor. */
  readonly scans?: boolean;
  /** Transactions of incoming events at the same time. Default: 1. */
  readonly concurrency?: number;
}

/** Table entry of a table of texts with the key `id`. */
export const tableOfTexts = (columns: readonly string[], tableName = 't') => ({
  primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'STRING' } }],
  dataColumns: Object.fromEntries(columns.map((source) => [source, { source, columnType: 'STRING' }])),
  dataSource: { tableName },
});

/** A table that is being read. */
export interface PlayedTable {
  readonly handler: TableHandler;
  readonly connection: Knex;
  readonly published: OutgoingEvent[];
  readonly reported: AdaptorError[];
  /** The faults of the source that the adaptor's state shows now. */
  readonly sources: ReadonlyMap<string, SourceFault>;
  /** Stops the scans and closes everything. May be called twice. */
  stop(): Promise<void>;
}

/** Reads a table and records what the adaptor reports. */
export const playTable = ({
  properties,
  table,
  stateFile,
  adaptorUuid = randomUUID(),
  logRetryMs,
  publish,
  drKeyProperties,
  scans = true,
  concurrency = 1,
}: PlayOptions): PlayedTable => {
  const metadata = parseAdaptorMetadata({
    databases: { main: { type: 'JDBC', properties } },
    tables: [{ domain: 'thing', version: 1, ...table, dataSource: { name: 'main', ...table.dataSource } }],
  });
  const opened = openDatabases(metadata);
  const [first] = metadata.tables;
  const [main] = opened.values();
  if (first === undefined || main === undefined) throw new Error('no table');
  const published: OutgoingEvent[] = [];
  const reported: AdaptorError[] = [];
  const sources = new Map<string, SourceFault>();
  const adaptor = {
    log: silent,
    applied: { epoch: null, sequence: 0 },
    isDiscovering: () => false,
    reportDiscovered: async () => undefined,
    publish: async (event: OutgoingEvent) => {
      published.push(event);
      await publish?.(event);
    },
    reportError: async (error: AdaptorError) => void reported.push(error),
    reportSource: (fault: SourceFault) => void sources.set(fault.source, fault),
    clearSource: (source: string) => void sources.delete(source),
    caughtUp: () => undefined,
  } as Partial<Adaptor> as Adaptor;
  const store = openFileStore(stateFile);
  const state = store.table(first.domain, first.version);
  const handler = createTableHandler({
    table: createSourceTable(main.knex, first, main.database.address.dialect),
    state,
    adaptor,
    drKeyProperties,
    logRetryMs,
    lanes: createLanes({ places: concurrency, nowMs: () => performance.now() }),
    guard: createSourceGuard({
      identify: () => readSourceIdentity(main.knex, main.database.address, first),
      state,
      accepts: first.sourceChanged === 'ACCEPT',
      onReturn: () => reopen(main.knex),
    }),
    faults: createFaultBoard(adaptor, 1).table('thing:1', first.dataSource.tableName, reportsChanges(first)),
    log: createLogAccesses(adaptorUuid)(first, main, state),
  });
  const controller = new AbortController();
  const running = scans ? handler.run(controller.signal) : undefined;
  let stopped: Promise<void> | undefined;
  return {
    handler,
    connection: main.knex,
    published,
    reported,
    sources,
    stop: () =>
      (stopped ??= (async () => {
        controller.abort();
        await running;
        await store.close();
        await disconnect([main.knex]);
      })()),
  };
};
