import { type JsonObject, type JsonValue } from '@fds/adaptor-protocol';
import { ApplyError, type Applied, type IncomingEvent } from '@fds/adaptor-sdk';
import type { ColumnValue } from '../columns/column-text.js';
import { toColumn, ValueFault } from '../columns/column-value.js';
import { parseRowKey } from '../source/row-key.js';
import type { SourceRow } from '../source/source-row.js';
import type { ColumnValues, SourceTable, WritableTable } from '../source/source-table.js';
import type { KnownRow, TableState } from '../state/adaptor-state.js';
import { isDuplicate, toApplyError } from './source-failure.js';
import type { WrittenRows } from './written-rows.js';

/** Dependencies of applying an event. */
export interface ApplyContext {
  readonly table: SourceTable;
  readonly state: TableState;
  readonly written: Pick<WrittenRows, 'begin'>;
  /** The DR Key properties of the domain version, in order. */
  readonly drKeyProperties: readonly string[];
}

/** Values of the columns whose property is in the event. */
const columnValues = (
  { metadata, dialect }: SourceTable,
  json: JsonObject,
  use: 'insertable' | 'updatable',
): ColumnValues => {
  const values: Record<string, ColumnValue> = {};
  for (const [column, specification] of Object.entries(metadata.dataColumns)) {
    const value = json[specification.source];
    if (value === undefined || !specification[use]) continue;
    try {
      values[column] = toColumn(specification.columnType, value, dialect);
    } catch (error) {
      if (!(error instanceof ValueFault)) throw error;
      throw new ApplyError(
        `${specification.source}: ${error.message}, column ${column} is ${specification.columnType}`,
      );
    }
  }
  return values;
};

/** Columns that hold these properties. Undefined unless every property is mapped and has a value. */
export const lookupBy = ({ metadata, dialect }: SourceTable, properties: JsonObject): ColumnValues | undefined => {
  const lookup: Record<string, ColumnValue> = {};
  for (const [name, value] of Object.entries(properties)) {
    const mapped = Object.entries(metadata.dataColumns).find(([, { source }]) => source === name);
    if (mapped === undefined || value === null || value === undefined) return undefined;
    lookup[mapped[0]] = toColumn(mapped[1].columnType, value, dialect);
  }
  return Object.keys(lookup).length === 0 ? undefined : lookup;
};

const drKeyOf = ({ drKeyProperties }: ApplyContext, { drKeyValues, json }: IncomingEvent): JsonObject =>
  Object.fromEntries(
    drKeyProperties.map((name, index): [string, JsonValue] => [name, drKeyValues[index] ?? json[name] ?? null]),
  );

const findRow = async (
  context: ApplyContext,
  rows: WritableTable,
  event: IncomingEvent,
  known: KnownRow | undefined,
): Promise<SourceRow | undefined> => {
  if (known !== undefined) {
    const key = parseRowKey(known.keyText);
    const columns = context.table.metadata.primaryKeySpecs.map(({ column }) => column);
    const [row] = await rows.find(Object.fromEntries(columns.map((column, index) => [column, key[index] ?? null])));
    if (row !== undefined) return row;
  }
  const lookup = lookupBy(context.table, drKeyOf(context, event));
  if (lookup === undefined) return undefined;
  const [row, second] = await rows.find(lookup);
  if (second !== undefined) {
    throw new ApplyError(`${context.table.metadata.dataSource.tableName}: several rows have the DR Key of the record`);
  }
  return row;
};

/** The row before and after the event, as the transaction read it. */
interface Effect {
  readonly before: SourceRow | undefined;
  readonly after: SourceRow | undefined;
}

const write = async (
  context: ApplyContext,
  rows: WritableTable,
  event: IncomingEvent,
  known: KnownRow | undefined,
): Promise<Effect> => {
  const before = await findRow(context, rows, event, known);
  if (event.action === 'DELETE') {
    if (before !== undefined) await rows.delete(before.key);
    return { before, after: undefined };
  }
  const after =
    before === undefined
      ? await rows.insert(columnValues(context.table, event.json, 'insertable'))
      : await rows.update(before.key, columnValues(context.table, event.json, 'updatable'));
  return { before, after };
};

/** Stores the written row as known. If the row contained an unreported change, its content stays unknown. */
const remember = async (
  { state }: ApplyContext,
  drUuid: string,
  known: KnownRow | undefined,
  { before, after }: Effect,
): Promise<void> => {
  if (after === undefined) {
    await state.forget([before, known].flatMap((row) => (row === undefined ? [] : [row.keyText])));
    return;
  }
  const lastKnown = (await state.knownRows([after.keyText])).get(after.keyText);
  const hasUnreportedChange = before !== undefined && lastKnown?.digest !== before.digest;
  const digest = hasUnreportedChange ? (lastKnown?.digest ?? '') : after.digest;
  await state.rememberRows([{ keyText: after.keyText, digest, drUuid, record: after.recordText }]);
};

/**
 * Applies an event to the table. Finds the row by the stored record, otherwise by its DR Key, and inserts, updates or
 * deletes it. Applying an event twice has the effect of once.
 *
 * The row is stored as known, so that the scan does not report it back. If the row contained a change that was not
 * reported yet, the scan reports the row's current content.
 *
 * @throws ApplyError
 */
export const applyEvent = async (context: ApplyContext, event: IncomingEvent): Promise<Applied> => {
  const { table, state, written } = context;
  if (!table.metadata.scanOptions.enableIncoming) {
    throw new ApplyError('scanOptions.enableIncoming is false', { kind: 'CONFIGURATION' });
  }
  const known = await state.byRecord(event.drUuid);
  let end: (() => void) | undefined;
  const attempt = (): Promise<Effect> =>
    table.transaction(async (rows) => {
      const effect = await write(context, rows, event, known);
      end ??= written.begin();
      return effect;
    });
  try {
    const effect = await attempt().catch((error: unknown) =>
      isDuplicate(error) ? attempt() : Promise.reject(error as Error),
    );
    await remember(context, event.drUuid, known, effect);
    return {};
  } catch (error) {
    throw toApplyError(error);
  } finally {
    end?.();
  }
};
