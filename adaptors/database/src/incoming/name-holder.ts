import { ApplyError, type IncomingEvent } from '@fds/adaptor-sdk';
import { toColumn } from '../source/column-value.js';
import type { SourceTable } from '../source/source-table.js';
import type { TableState } from '../state/adaptor-state.js';
import type { ColumnValue } from '../columns/column-text.js';

/** MySQL and MariaDB name the index, as `name` or `table.name`, and not its columns. */
const indexIn = (message: string): string | undefined => /for key '(?:[^']*\.)?([^'.]+)'$/.exec(message)?.[1];

/** The values that the event gives these columns. Undefined: it does not give all of them. */
const valuesOf = (
  { metadata, dialect }: SourceTable,
  { json }: IncomingEvent,
  columns: readonly string[],
): Readonly<Record<string, ColumnValue>> | undefined => {
  const values = columns.flatMap((column): [string, ColumnValue][] => {
    const { source = '', columnType } = metadata.dataColumns[column] ?? {};
    const value = json[source];
    return columnType === undefined || value === undefined || value === null
      ? []
      : [[column, toColumn(columnType, value, dialect)]];
  });
  return columns.length === 0 || values.length < columns.length ? undefined : Object.fromEntries(values);
};

/**
 * The refusal of a unique key, with the columns of the key and the record of the row that has the value. The uuid of a record shows
 * none of its values, and a reader of the record finds the row by it.
 *
 * @param refusal names the columns already, except for MySQL and MariaDB
 */
export const withHolder = async (
  { table, state }: { readonly table: SourceTable; readonly state: Pick<TableState, 'knownRows'> },
  event: IncomingEvent,
  refusal: ApplyError,
): Promise<ApplyError> => {
  const { title = '', properties = [] } = refusal;
  const columnsOf = (property: string): readonly string[] =>
    Object.entries(table.metadata.dataColumns).flatMap(([column, { source }]) => (source === property ? [column] : []));
  const index = indexIn(refusal.message);
  const columns = index === undefined ? properties.flatMap(columnsOf) : await table.columnsOfIndex(index);
  const lookup = valuesOf(table, event, columns);
  const [row] = lookup === undefined ? [] : (await table.findAny([lookup])).rows;
  const holder = row && (await state.knownRows([row.keyText])).get(row.keyText)?.drUuid;
  const named = index === undefined || columns.length === 0 ? title : title.replace('a unique key', columns.join(', '));
  const sources = columns.flatMap((column) => table.metadata.dataColumns[column]?.source ?? []);
  return new ApplyError(refusal.message, {
    kind: refusal.kind,
    retry: refusal.retry,
    ...(refusal.waitsFor === undefined ? {} : { waitsFor: refusal.waitsFor }),
    title: holder === undefined || holder === null ? named : `${named}. It is the row of record ${holder}`,
    properties: properties.length > 0 ? properties : sources,
    cause: refusal.cause,
  });
};
