import { ApplyError, type Adaptor, type AdaptorConfiguration, type AdaptorHandlers } from '@fds/adaptor-sdk';
import type { Knex } from 'knex';
import { parseAdaptorMetadata, type DatabaseAdaptorMetadata } from './configuration/adaptor-metadata.js';
import { openKnex } from './source/open-knex.js';
import { createSourceTable } from './source/source-table.js';
import type { AdaptorState } from './state/adaptor-state.js';
import { createTableHandler, type TableHandler } from './table-handler.js';

/** The adaptor as it is configured now. */
interface Setup {
  readonly metadata: DatabaseAdaptorMetadata;
  readonly connections: readonly Knex[];
  readonly handlers: ReadonlyMap<string, TableHandler>;
}

/** Scans under way. */
interface Scanning {
  readonly controller: AbortController;
  readonly done: Promise<unknown>;
}

const handlerName = (domain: string, version: number): string => `${domain}:${version}`;

const setUp = (adaptor: Adaptor, state: AdaptorState, configuration: AdaptorConfiguration): Setup => {
  const metadata = parseAdaptorMetadata(configuration.metadata);
  for (const name of metadata.unusedDocumentStores) {
    adaptor.log.warn({ database: name }, 'document stores are not used: state is kept in the data directory');
  }
  const connections = new Map(
    [...metadata.databases].map(([name, database]) => [name, { knex: openKnex(database), database }]),
  );
  const handlers = metadata.tables.map((table) => {
    const { domain, version, dataSource } = table;
    const connection = connections.get(dataSource.name);
    if (connection === undefined) throw new Error(`no database ${dataSource.name}`);
    const key = configuration.domainVersions.find((one) => one.domain === domain && one.version === version);
    return createTableHandler({
      table: createSourceTable(connection.knex, table, connection.database.address.dialect),
      state: state.table(domain, version),
      adaptor,
      drKeyProperties: key?.drKeyProperties ?? [],
      discoveryMode: configuration.discoveryMode,
    });
  });
  return {
    metadata,
    connections: [...connections.values()].map(({ knex }) => knex),
    handlers: new Map(handlers.map((handler) => [handler.name, handler])),
  };
};

/** The handlers of a database adaptor. `stop` closes the databases; the state is the caller's to close. */
export const createDatabaseHandlers = (adaptor: Adaptor, state: AdaptorState): AdaptorHandlers => {
  let setup: Setup | undefined;
  let scanning: Scanning | undefined;

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

  const disconnect = async (old: Setup | undefined): Promise<void> => {
    await Promise.all((old?.connections ?? []).map((connection) => connection.destroy()));
  };

  return {
    configure: async (configuration) => {
      const next = setUp(adaptor, state, configuration);
      const wasScanning = scanning !== undefined;
      await stopScans();
      const old = setup;
      setup = next;
      if (wasScanning) startScans();
      await disconnect(old);
    },
    play: startScans,
    pause: stopScans,
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
    health: () => Object.fromEntries([...(setup?.handlers.values() ?? [])].map(({ name, health }) => [name, health])),
    stop: async () => {
      await stopScans();
      await disconnect(setup);
      setup = undefined;
    },
  };
};
