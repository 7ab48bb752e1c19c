import { pointerOf } from '../configuration/fault.js';
import type { TableMetadata } from '../configuration/table-metadata.js';
import type { OpenedDatabase } from '../source/open-databases.js';
import { lookForWriters } from '../source/open-writers.js';

/**
 * Warnings about tables of MySQL and MariaDB that are read by time while the user may not see open transactions: a change
 * that is committed long after its time is not found.
 *
 * @returns a sentence for each table, with its place in the metadata
 * @throws Error when a source does not answer
 */
export const findHiddenWriters = async (
  tables: readonly TableMetadata[],
  opened: ReadonlyMap<string, OpenedDatabase>,
): Promise<readonly string[]> => {
  const warnings: string[] = [];
  for (const [index, { dataSource, scanOptions, timestampSpec }] of tables.entries()) {
    const source = opened.get(dataSource.name);
    const { enableProcessor, enableModificationScan } = scanOptions;
    if (source?.database.address.dialect !== 'mysql' || !enableProcessor || !enableModificationScan) continue;
    if (timestampSpec === undefined || timestampSpec.lagTimeMilliseconds > 0) continue;
    if ((await lookForWriters(source.knex, 'mysql', dataSource)) !== undefined) continue;
    warnings.push(
      `${pointerOf('tables', index, 'timestampSpec')}: the user of the adaptor may not see open transactions. ` +
        `A change that is committed more than ${timestampSpec.overlapMilliseconds} ms after its time is not found. ` +
        'Give the user the right PROCESS (GRANT PROCESS ON *.* TO ...), or set lagTimeMilliseconds to the longest time of a transaction',
    );
  }
  return warnings;
};
