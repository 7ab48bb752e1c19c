import type { AdaptorConfiguration } from '@fds/adaptor-sdk';
import type { TableMetadata } from '../configuration/table-metadata.js';
import type { ColumnEquality } from '../source/column-equality.js';
import { pointerOf } from '../configuration/fault.js';

/** Columns by which the row of a record is found, each with its place in the table entry. */
const keyColumnsOf = (
  { primaryKeySpecs, dataColumns }: TableMetadata,
  drKeyProperties: readonly string[],
): ReadonlyMap<string, readonly (string | number)[]> =>
  new Map([
    ...Object.entries(dataColumns).flatMap(([column, { source }]): [string, string[]][] =>
      drKeyProperties.includes(source) ? [[column, ['dataColumns', column]]] : [],
    ),
    ...primaryKeySpecs.map(({ column }, at): [string, (string | number)[]] => [
      column,
      ['primaryKeySpecs', at, column],
    ]),
  ]);

const isCoarse = ({ kind }: ColumnEquality): boolean => kind === 'COARSE' || kind === 'PADDED';

/** Binary collations of MariaDB and SQL Server, and RTRIM of SQLite, tell case and accents apart. */
const ignoresBlanksOnly = ({ kind, description }: ColumnEquality): boolean =>
  kind === 'PADDED' || /_bin2?$|collation RTRIM$/i.test(description);

/**
 * Warnings about key columns whose equality is coarser than that of the server: two records can meet one row there.
 *
 * @param equalitiesOf reads the equality of the columns of a table
 * @returns a sentence for each column, with its place in the metadata, its type and its collation
 * @throws Error when a source does not answer
 */
export const findCoarseKeys = async (
  tables: readonly TableMetadata[],
  { domainVersions }: Pick<AdaptorConfiguration, 'domainVersions'>,
  equalitiesOf: (table: TableMetadata) => Promise<ReadonlyMap<string, ColumnEquality>>,
): Promise<readonly string[]> => {
  const warnings: string[] = [];
  for (const [index, table] of tables.entries()) {
    const version = domainVersions.find((one) => one.domain === table.domain && one.version === table.version);
    const equalities = await equalitiesOf(table);
    for (const [column, path] of keyColumnsOf(table, version?.drKeyProperties ?? [])) {
      const equality = equalities.get(column);
      if (equality === undefined || !isCoarse(equality)) continue;
      const difference = ignoresBlanksOnly(equality) ? 'blanks at the end' : 'case, accents or blanks at the end';
      warnings.push(
        `${pointerOf('tables', index, ...path)}: the key column ${JSON.stringify(column)} of ${table.dataSource.tableName} is ` +
          `${equality.description}: the database may treat keys as equal that differ in ${difference}. ` +
          'The record that comes second is a data issue. Use a type and a collation that compare exactly',
      );
    }
  }
  return warnings;
};
