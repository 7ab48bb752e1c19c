import type { AdaptorConfiguration } from '@fds/adaptor-sdk';
import { parseAdaptorMetadata, type DatabaseAdaptorMetadata } from '../configuration/adaptor-metadata.js';
import { disconnect, openDatabases, type OpenedDatabase } from '../source/open-databases.js';
import { openState, type OpenedState } from '../state/open-state.js';
import { checkModel } from './check-model.js';
import { describeExample, findReadOnly } from './mapping-example.js';
import { findCoarseKeys } from './coarse-keys.js';
import { findHiddenWriters } from './hidden-writers.js';
import { findRowSecurity } from './row-security.js';
import { findTableShape } from './table-shape.js';
import { readEqualities, type ColumnEquality } from '../source/column-equality.js';
import { checkSource } from './check-source.js';
import type { TableMetadata } from '../configuration/table-metadata.js';
import { findLogFault } from '../scan/log/find-log-fault.js';
import { pointerOf, toConfigurationError, type ConfigurationFault } from '../configuration/fault.js';

/** Compares the metadata with the models of the server, with the sources, and with the state stores. */
export const findFaults = async (
  { tables }: DatabaseAdaptorMetadata,
  configuration: AdaptorConfiguration,
  opened: ReadonlyMap<string, OpenedDatabase>,
  state: Pick<OpenedState, 'faults'>,
): Promise<readonly ConfigurationFault[]> => {
  const sources = [...opened].map(([name, { knex, database }]) =>
    checkSource({
      name,
      database,
      connection: knex,
      tables: tables.flatMap((table, index) => (table.dataSource.name === name ? [{ index, table }] : [])),
    }),
  );
  return [...checkModel(tables, configuration), ...(await Promise.all([...sources, state.faults()])).flat()];
};

/**
 * Says how a table would be read. A table that can be read by LOG only is faulty where LOG is not possible.
 *
 * @returns its name at the health endpoint, with the reason why it would be read by TIMESTAMP instead of LOG
 */
const describeTable = async (
  table: TableMetadata,
  index: number,
  opened: ReadonlyMap<string, OpenedDatabase>,
): Promise<string | ConfigurationFault> => {
  const name = `${table.domain}:${table.version}`;
  const source = opened.get(table.dataSource.name);
  if (table.scanMethod !== 'LOG' || source === undefined) return name;
  const reason = await findLogFault(table, source);
  if (reason === undefined) return name;
  if (table.timestampSpec === undefined)
    return {
      place: pointerOf('tables', index, 'scanMethod'),
      message: `LOG is not possible: ${reason}`,
      retry: 'SOON',
    };
  return `${name} (by TIMESTAMP, because LOG is not possible: ${reason})`;
};

/** Warnings about a valid configuration: faults that single rows may have. */
export const findWarnings = async (
  tables: readonly TableMetadata[],
  configuration: AdaptorConfiguration,
  opened: ReadonlyMap<string, OpenedDatabase>,
  equalitiesOf: (table: TableMetadata) => Promise<ReadonlyMap<string, ColumnEquality>>,
): Promise<readonly string[]> => [
  ...(await findCoarseKeys(tables, configuration, equalitiesOf)),
  ...(await findRowSecurity(tables, opened)),
  ...(await findTableShape(tables, opened)),
  ...(await findHiddenWriters(tables, opened)),
  ...tables.flatMap(findReadOnly),
];

/** A configuration that is valid. */
export interface CheckedConfiguration {
  /** The tables, with their names at the health endpoint, and the reasons why some would be read by TIMESTAMP instead of LOG. */
  readonly tables: readonly string[];
  readonly warnings: readonly string[];
  /** The message and the statement that the expressions of each table make of an example row. */
  readonly examples: readonly string[];
}

/**
 * Checks a configuration against the models of the server and against the source. Changes nothing.
 *
 * @throws ConfigurationError, MetadataFault
 */
export const checkConfiguration = async (configuration: AdaptorConfiguration): Promise<CheckedConfiguration> => {
  const metadata = parseAdaptorMetadata(configuration.metadata);
  const opened = openDatabases(metadata);
  const state = await openState(metadata, '');
  try {
    const faults = await findFaults(metadata, configuration, opened, state);
    if (faults.length > 0) throw toConfigurationError(faults);
    const described: (string | ConfigurationFault)[] = [];
    for (const [index, table] of metadata.tables.entries()) described.push(await describeTable(table, index, opened));
    const withoutLog = described.filter((one) => typeof one !== 'string');
    if (withoutLog.length > 0) throw toConfigurationError(withoutLog);
    const examples: string[] = [];
    for (const table of metadata.tables) {
      const source = opened.get(table.dataSource.name);
      if (source !== undefined) examples.push(...(await describeExample(table, source)));
    }
    return {
      examples,
      tables: described.filter((one) => typeof one === 'string'),
      warnings: await findWarnings(metadata.tables, configuration, opened, ({ dataSource }) => {
        const source = opened.get(dataSource.name);
        return source === undefined
          ? Promise.resolve(new Map())
          : readEqualities(source.knex, source.database.address.dialect, dataSource);
      }),
    };
  } finally {
    await state.close();
    await disconnect([...opened.values()].map(({ knex }) => knex));
  }
};
