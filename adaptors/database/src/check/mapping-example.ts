import { stringifyJson } from '@fds/adaptor-protocol';
import type { TableMetadata } from '../configuration/table-metadata.js';
import type { OpenedDatabase } from '../source/open-databases.js';
import { columnText } from '../columns/column-text.js';
import { hasMapping, isReadByRow, readsOf } from '../source/mapping/table-mapping.js';
import { mappingTitle } from '../source/source-row.js';
import { createSourceTable } from '../source/source-table.js';

/** Rows among which one that satisfies the row filter is looked for. */
const rowsTried = 100;

/** Properties that an expression computes from the row and that no message can change. */
export const findReadOnly = (table: TableMetadata): readonly string[] =>
  [...readsOf(table).toRecord.keys()].flatMap((property) =>
    isReadByRow(table, property)
      ? []
      : [
          `${table.domain}:${table.version}: ${property} is read-only, because no expression of mapping.toRow reads it: a message is applied without it`,
        ],
  );

/** Describes the message for an example row, and the statement for its record. Writes nothing. */
export const describeExample = async (
  table: TableMetadata,
  { knex, database }: OpenedDatabase,
): Promise<readonly string[]> => {
  if (!hasMapping(table)) return [];
  const name = `${table.domain}:${table.version}`;
  const source = createSourceTable(knex, table, database.address.dialect);
  const { rows, faulty, outside } = await source.rowsBehind(undefined, rowsTried);
  const [row] = rows;
  const failed = faulty.slice(0, 1).map(({ fault }) => `example ${name}: ${fault}`);
  if (row === undefined) {
    const why =
      outside.length === 0
        ? 'the table has no row that can be read'
        : `none of the first ${rowsTried} rows satisfies the rowFilter`;
    return [...failed, `example ${name}: ${why}`];
  }
  const columns = [...readsOf(table).toRow.keys()];
  const sent = `example ${name}: the row ${row.keyText} would be sent as ${row.recordText}`;
  if (columns.length === 0) return [...failed, sent];
  const { values, fault } = await source.mapped(row.record, columns);
  if (fault !== undefined) return [...failed, sent, `example ${name}: ${mappingTitle(fault)}`];
  const written = Object.entries(values).map(
    ([column, value]) => `${column} = ${value === null ? 'NULL' : stringifyJson([columnText(value)]).slice(1, -1)}`,
  );
  const { tableName } = table.dataSource;
  return [
    ...failed,
    sent,
    `example ${name}: its record would be written as UPDATE ${tableName} SET ${written.join(', ')}`,
  ];
};
