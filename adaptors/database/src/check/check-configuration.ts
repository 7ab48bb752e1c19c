import type { AdaptorConfiguration } from '@fds/adaptor-sdk';
import { parseAdaptorMetadata, type DatabaseAdaptorMetadata } from '../configuration/adaptor-metadata.js';
import { disconnect, openDatabases, type OpenedDatabase } from '../source/open-databases.js';
import { openState, type OpenedState } from '../state/open-state.js';
import { checkModel } from './check-model.js';
import { checkSource } from './check-source.js';
import { toConfigurationError, type ConfigurationFault } from './fault.js';

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
 * Checks a configuration against the models of the server and against the source. Changes nothing.
 *
 * @returns the tables, with their names at the health endpoint
 * @throws ConfigurationError, MetadataFault
 */
export const checkConfiguration = async (configuration: AdaptorConfiguration): Promise<readonly string[]> => {
  const metadata = parseAdaptorMetadata(configuration.metadata);
  const opened = openDatabases(metadata);
  const state = await openState(metadata, '');
  try {
    const faults = await findFaults(metadata, configuration, opened, state);
    if (faults.length > 0) throw toConfigurationError(faults);
    return metadata.tables.map(({ domain, version }) => `${domain}:${version}`);
  } finally {
    await state.close();
    await disconnect([...opened.values()].map(({ knex }) => knex));
  }
};
