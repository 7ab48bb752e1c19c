import type { StateAddress } from '../configuration/document-store-metadata.js';
import type { DatabaseAdaptorMetadata } from '../configuration/adaptor-metadata.js';
import type { TableMetadata } from '../configuration/table-metadata.js';
import { stateStoreFault } from './state-store-fault.js';
import { reasonOf } from '../source/connection-fault.js';
import { pointerOf, toConfigurationError, type ConfigurationFault } from '../configuration/fault.js';
import type { StateStore, TableState } from './adaptor-state.js';
import { openMongodbStore } from './open-mongodb-store.js';
import { openPostgresqlStore } from './open-postgresql-store.js';
import type { RemoteStore } from './remote-store.js';
import { StateStoreFailure } from './state-store-failure.js';

/** The store of a part of a table's state. */
type StateDataSource = NonNullable<TableMetadata['processingDataSource']>;

/** The stores that the tables of a configuration use. The caller that opens them closes them. */
export interface OpenedState {
  /** Reasons why stores cannot be used now. Changes nothing. */
  faults(): Promise<readonly ConfigurationFault[]>;
  /** Creates missing tables and collections in the stores. @throws ConfigurationError */
  prepare(): Promise<void>;
  /** The state of a table: in the stores that it names, otherwise in the file. */
  stateOf(table: TableMetadata, file: StateStore): TableState;
  close(): Promise<void>;
}

const openStore = (address: StateAddress, databaseName: string | undefined, adaptorUuid: string) =>
  address.kind === 'MONGODB'
    ? openMongodbStore({ ...address, databaseName: databaseName ?? address.databaseName }, adaptorUuid)
    : openPostgresqlStore(
        databaseName === undefined ? address.address : { ...address.address, database: databaseName },
        address,
        adaptorUuid,
      );

/** The state of a table whose failures name its store. */
const naming = (name: string, state: TableState): TableState => {
  const guard =
    <Arguments extends unknown[], Result>(work: (...given: Arguments) => Promise<Result>) =>
    (...given: Arguments): Promise<Result> =>
      work(...given).catch((error: unknown) => Promise.reject(new StateStoreFailure(name, error)));
  return {
    scannedUntil: guard(state.scannedUntil),
    rememberScan: guard(state.rememberScan),
    scannedLog: guard(state.scannedLog),
    rememberLog: guard(state.rememberLog),
    knownSource: guard(state.knownSource),
    rememberSource: guard(state.rememberSource),
    knownRows: guard(state.knownRows),
    byRecords: guard(state.byRecords),
    keysAfter: guard(state.keysAfter),
    rememberRows: guard(state.rememberRows),
    announceRows: guard(state.announceRows),
    confirmRows: guard(state.confirmRows),
    forget: guard(state.forget),
  };
};

const combined = (processing: TableState, identifiers: TableState): TableState => ({
  ...identifiers,
  scannedUntil: processing.scannedUntil,
  rememberScan: processing.rememberScan,
  scannedLog: processing.scannedLog,
  rememberLog: processing.rememberLog,
  knownSource: processing.knownSource,
  rememberSource: processing.rememberSource,
});

/**
 * The stores of both parts. A table that names one store keeps both parts there: a position without the rows that
 * belong to it would hide changes.
 */
const sourcesOf = (table: TableMetadata): readonly [processing?: StateDataSource, identifiers?: StateDataSource] => {
  const { processingDataSource: processing, localIdentifierStoreDataSource: identifiers } = table;
  return [processing ?? identifiers, identifiers ?? processing];
};

const keyOf = ({ name, databaseName }: StateDataSource): string => JSON.stringify([name, databaseName]);

/** Opens the stores that the tables name. Each connects on first use. */
export const openState = async (
  { tables, stateStores }: DatabaseAdaptorMetadata,
  adaptorUuid: string,
): Promise<OpenedState> => {
  const opened = new Map<
    string,
    { readonly name: string; readonly address: StateAddress; readonly store: RemoteStore }
  >();
  for (const source of tables.flatMap(sourcesOf)) {
    const address = source === undefined ? undefined : stateStores.get(source.name);
    if (source === undefined || address === undefined || opened.has(keyOf(source))) continue;
    const store = await openStore(address, source.databaseName, adaptorUuid);
    opened.set(keyOf(source), { name: source.name, address, store });
  }
  const stores = [...opened.values()];

  return {
    faults: async () => {
      const faults = stores.map(({ name, address, store }) =>
        store.ping().then(
          () => [],
          (error: unknown) => [stateStoreFault(name, address, error)],
        ),
      );
      return (await Promise.all(faults)).flat();
    },
    prepare: async () => {
      for (const { name, store } of stores) {
        try {
          await store.prepare();
        } catch (error) {
          const message = `the state cannot be kept there: ${reasonOf(error)}`;
          throw toConfigurationError([{ place: pointerOf('databases', name), message, retry: 'RARELY' }]);
        }
      }
    },
    stateOf: (table, file) => {
      const { domain, version } = table;
      const [processing, identifiers] = sourcesOf(table).map((source) => {
        const found = source === undefined ? undefined : opened.get(keyOf(source));
        return found === undefined
          ? file.table(domain, version)
          : naming(found.name, found.store.table(domain, version));
      });
      if (processing === undefined || identifiers === undefined) return file.table(domain, version);
      return combined(processing, identifiers);
    },
    close: async () => {
      await Promise.all(stores.map(({ store }) => store.close()));
    },
  };
};
