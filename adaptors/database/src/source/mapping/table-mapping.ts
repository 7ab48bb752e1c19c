import type { JsonObject, JsonValue } from '@fds/adaptor-protocol';
import type { Knex } from 'knex';
import type { ColumnValue, ColumnValues } from '../../columns/column-text.js';
import type { ExpressionReads } from '../../configuration/read-expression.js';
import { readExpression } from '../../configuration/read-expression.js';
import type { TableMetadata } from '../../configuration/table-metadata.js';
import type { ColumnEquality } from '../column-equality.js';
import { toProperty, ValueFault } from '../column-value.js';
import type { Dialect } from '../dialect.js';
import { contextValue, writtenValue } from './context-value.js';
import type { EvaluationItem, EvaluationResult } from './evaluation-thread.js';
import { lookupId } from './evaluation-thread.js';
import { openEvaluator } from './open-evaluator.js';
import { openLookups } from './open-lookups.js';

type RawRow = Readonly<Record<string, ColumnValue>>;

/** The results of the expressions for a row. */
export interface MappedRow {
  /** Values by property; null where an expression has no result. */
  readonly record: JsonObject;
  /** The columns that expressions read and write, by name. */
  readonly columns: JsonObject;
  /** Does the row belong to the domain? */
  readonly isInside: boolean;
  readonly fault?: MappingFault;
}

export interface MappingFault {
  /** `rowFilter`, or the property of `toRecord`, or the column of `toRow`. */
  readonly name: string;
  /** The mapping, as a person names it. */
  readonly where: 'rowFilter' | 'mapping.toRecord' | 'mapping.toRow';
  readonly message: string;
}

/** Expressions of a table entry. */
export interface TableMapping {
  /** The columns of the table that expressions read and write. */
  columns(existing: ReadonlyMap<string, ColumnEquality>): readonly string[];
  toRecords(
    raw: readonly RawRow[],
    existing: ReadonlyMap<string, ColumnEquality>,
    on: Knex,
  ): Promise<readonly MappedRow[]>;
  /**
   * The results of expressions for a record, and the values of their columns.
   *
   * @param names columns of `toRow`
   */
  toRow(
    record: JsonObject,
    names: readonly string[],
    existing: ReadonlyMap<string, ColumnEquality>,
    on: Knex,
  ): Promise<MappedColumns>;
}

export interface MappedColumns {
  /** Results of the expressions by column. */
  readonly results: JsonObject;
  readonly values: ColumnValues;
  readonly fault?: MappingFault;
}

const filterPlace = 'rowFilter';
const recordPlace = (property: string): string => `toRecord ${property}`;
const rowPlace = (column: string): string => `toRow ${column}`;

/** Rows of lookups that lead to other lookups. */
const maxRounds = 8;

/** A column of a context may have so many characters. */
const longestValue = 1024 * 1024;

export const hasMapping = ({ mapping, rowFilter }: TableMetadata): boolean =>
  mapping !== undefined || rowFilter !== undefined;

/** The names that the expressions of a table entry read. They are parsed once. */
export interface MappingReads {
  readonly toRecord: ReadonlyMap<string, ExpressionReads>;
  readonly toRow: ReadonlyMap<string, ExpressionReads>;
  readonly filter: ExpressionReads | undefined;
}

const readsByTable = new WeakMap<TableMetadata, MappingReads>();

export const readsOf = (table: TableMetadata): MappingReads => {
  const known = readsByTable.get(table);
  if (known !== undefined) return known;
  const all = (expressions: Readonly<Record<string, string>> = {}) =>
    new Map(Object.entries(expressions).map(([name, text]) => [name, readExpression(text)]));
  const reads: MappingReads = {
    toRecord: all(table.mapping?.toRecord),
    toRow: all(table.mapping?.toRow),
    filter: table.rowFilter === undefined ? undefined : readExpression(table.rowFilter),
  };
  readsByTable.set(table, reads);
  return reads;
};

/** Columns of `toRow` whose expression reads one of these properties. */
export const columnsReading = (table: TableMetadata, properties: readonly string[]): readonly string[] =>
  [...readsOf(table).toRow].flatMap(([column, { names, isWhole }]) =>
    isWhole || properties.some((property) => names.has(property)) ? [column] : [],
  );

/** Does an expression of `toRow` read the property? */
export const isReadByRow = (table: TableMetadata, property: string): boolean =>
  [...readsOf(table).toRow.values()].some(({ names, isWhole }) => isWhole || names.has(property));

const faultAt = ({ place, message }: NonNullable<EvaluationResult['fault']>): MappingFault => {
  const [kind = '', ...name] = place.split(' ');
  if (kind === filterPlace) return { name: filterPlace, where: 'rowFilter', message };
  return { name: name.join(' '), where: kind === 'toRow' ? 'mapping.toRow' : 'mapping.toRecord', message };
};

/** Undefined: the table entry has no expressions. */
export const openTableMapping = (table: TableMetadata, dialect: Dialect): TableMapping | undefined => {
  if (!hasMapping(table)) return undefined;
  const { mapping, rowFilter, dataColumns } = table;
  const { toRecord = {}, toRow = {}, codes = {}, lookups = {} } = mapping ?? {};
  const reads = readsOf(table);
  const places = [...(rowFilter === undefined ? [] : [filterPlace]), ...Object.keys(toRecord).map(recordPlace)];
  const evaluator = openEvaluator({
    expressions: Object.fromEntries([
      ...(rowFilter === undefined ? [] : [[filterPlace, rowFilter] as const]),
      ...Object.entries(toRecord).map(([property, text]) => [recordPlace(property), text] as const),
      ...Object.entries(toRow).map(([column, text]) => [rowPlace(column), text] as const),
    ]),
    codes,
    lookups: Object.keys(lookups),
  });
  const rows = openLookups(lookups, dialect, table.dataSource.schema);

  /** Evaluates items, and again when the rows of their lookups are known. */
  const evaluate = async (
    items: readonly Omit<EvaluationItem, 'rows'>[],
    on: Knex,
  ): Promise<readonly EvaluationResult[]> => {
    const results: EvaluationResult[] = [];
    let open = items.map((item, at) => ({ at, item: { ...item, rows: {} } as EvaluationItem }));
    for (let round = 0; open.length > 0; round += 1) {
      const answers = await evaluator.evaluate(open.map(({ item }) => item));
      const wanted = answers.flatMap(({ missing }) => missing);
      const found = wanted.length === 0 ? {} : await rows.rows(wanted, on);
      open = open.flatMap(({ at, item }, index) => {
        const answer = answers[index] ?? { values: {}, missing: [] };
        if (answer.missing.length === 0) {
          results[at] = answer;
          return [];
        }
        if (round === maxRounds) {
          const place = item.places[0] ?? '';
          results[at] = {
            values: {},
            missing: [],
            fault: { place, message: `needs more than ${maxRounds} lookups one after the other` },
          };
          return [];
        }
        const more = answer.missing.map(([name, key]) => lookupId(name, key));
        const known = Object.fromEntries(more.map((id): [string, JsonValue] => [id, found[id] ?? null]));
        return [{ at, item: { ...item, rows: { ...item.rows, ...known } } }];
      });
    }
    return results;
  };

  const columns = (existing: ReadonlyMap<string, ColumnEquality>): readonly string[] => {
    const all = [...reads.toRecord.values(), ...(reads.filter === undefined ? [] : [reads.filter])];
    const isRead = (column: string): boolean => all.some(({ names, isWhole }) => isWhole || names.has(column));
    return [...existing.keys()].filter((column) => Object.hasOwn(toRow, column) || isRead(column));
  };

  const columnOf = (existing: ReadonlyMap<string, ColumnEquality>, raw: RawRow, column: string): JsonValue => {
    const value = raw[column] ?? null;
    const type = dataColumns[column]?.columnType;
    const description = existing.get(column)?.description;
    const read = type === undefined ? contextValue(description, value, dialect) : toProperty(type, value);
    if (typeof read === 'string' && read.length > longestValue)
      throw new ValueFault(`has more than ${longestValue} characters, which is too long for an expression`);
    return read;
  };

  return {
    columns,
    toRecords: async (raw, existing, on) => {
      const named = columns(existing);
      const contexts = raw.map((row) => {
        const values: Record<string, JsonValue> = {};
        let fault: MappingFault | undefined;
        for (const column of named) {
          try {
            values[column] = columnOf(existing, row, column);
          } catch (error) {
            if (!(error instanceof ValueFault)) throw error;
            const property = [...reads.toRecord].find(([, one]) => one.isWhole || one.names.has(column))?.[0];
            fault ??= {
              name: property ?? filterPlace,
              where: property === undefined ? 'rowFilter' : 'mapping.toRecord',
              message: `cannot be evaluated: column ${column} ${error.message}`,
            };
          }
        }
        return { values, fault };
      });
      const results = await evaluate(
        contexts.map(({ values }) => ({ places, input: values, isReverse: false })),
        on,
      );
      return contexts.map(({ values: read, fault }, at): MappedRow => {
        const result = results[at] ?? { values: {}, missing: [] };
        const isFilterFaulty = result.fault?.place === filterPlace;
        const isInside = rowFilter === undefined || isFilterFaulty || result.values[filterPlace] === true;
        const found = fault ?? (result.fault === undefined ? undefined : faultAt(result.fault));
        return {
          record: Object.fromEntries(
            Object.keys(toRecord).map((property) => [property, result.values[recordPlace(property)] ?? null]),
          ),
          columns: read,
          isInside,
          // the values of a row that does not belong to the domain do not matter
          ...(found === undefined || !isInside ? {} : { fault: found }),
        };
      });
    },
    toRow: async (record, names, existing, on) => {
      if (names.length === 0) return { results: {}, values: {} };
      const [result] = await evaluate([{ places: names.map(rowPlace), input: record, isReverse: true }], on);
      if (result?.fault !== undefined) return { results: {}, values: {}, fault: faultAt(result.fault) };
      const results: Record<string, JsonValue> = {};
      const values: Record<string, ColumnValue> = {};
      for (const column of names) {
        const value = result?.values[rowPlace(column)] ?? null;
        try {
          values[column] = writtenValue(existing.get(column)?.description, value, dialect);
        } catch (error) {
          if (!(error instanceof ValueFault)) throw error;
          const message = `has a result that ${error.message}`;
          return { results, values, fault: { name: column, where: 'mapping.toRow', message } };
        }
        results[column] = value;
      }
      return { results, values };
    },
  };
};
