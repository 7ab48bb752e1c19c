import type { Knex } from 'knex';
import { columnText, type ColumnValue, type ColumnValues } from '../columns/column-text.js';
import type { ColumnEquality } from './column-equality.js';
import { toIdentifier } from './identifier.js';
import { rowKeyText, type RowKey } from './row-key.js';
import type { SourceRow } from './source-row.js';
import { sqlOfDialect } from './sql-of-dialect.js';
import {
  byIdentifier,
  createWritableTable,
  matchingAny,
  maxFound,
  rowTools,
  type Stored,
  type TableAccess,
  type WritableTable,
} from './writable-table.js';

/** Rows cannot be told apart with certainty in one statement: each is to be written in its own. */
export class NotTogether extends Error {
  override readonly name = 'NotTogether';
}

/** The table inside a transaction of several events. Each function has the effect of the single one for each input, in order. */
export interface ManyRows extends WritableTable {
  /** The rows of all lookups, locked in the order of their keys. Not in the order of the lookups. */
  findAll(lookups: readonly ColumnValues[]): Promise<readonly SourceRow[]>;
  /** @throws NotTogether when a new row does not have the key that was written */
  insertAll(rows: readonly ColumnValues[]): Promise<readonly Stored[]>;
  updateAll(updates: readonly { readonly key: RowKey; readonly values: ColumnValues }[]): Promise<readonly Stored[]>;
  deleteAll(keys: readonly RowKey[]): Promise<readonly Stored[]>;
}

/** Types of PostgreSQL whose values `json_populate_recordset` reads like a parameter. */
const plainTypes =
  /^(smallint|integer|bigint|numeric|real|double precision|boolean|text|character varying|character|uuid|date|timestamp with(out)? time zone|bytea)(,|$)/;
const jsonTypes = /^jsonb?(,|$)/;

const signatureOf = (values: ColumnValues): string => JSON.stringify(Object.keys(values).sort());

const grouped = <T>(all: readonly T[], nameOf: (one: T) => string): readonly (readonly T[])[] => {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const name = nameOf(one);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [one]);
    else group.push(one);
  }
  return [...groups.values()];
};

/** @param equalities of the columns */
export const createManyRows = (
  access: TableAccess,
  transaction: Knex.Transaction,
  equalities: ReadonlyMap<string, ColumnEquality>,
): ManyRows => {
  const rows = createWritableTable(access, transaction);
  const { clock, stamped, valid } = rowTools(access);
  const { metadata, dialect, rowsOf, selected, rawRows, lookupOf } = access;
  const sql = sqlOfDialect[dialect];
  const keyColumns = metadata.primaryKeySpecs.map(({ column }) => column);
  const modifiedColumn = metadata.timestampSpec?.columnName;
  const isUuid = (column: string): boolean => equalities.get(column)?.kind === 'UUID';
  /** The key of a row as the database spells it. */
  const keyTextOf = (key: RowKey): string =>
    rowKeyText(
      key.map((value, at) =>
        isUuid(keyColumns[at] ?? '') && value !== null ? columnText(value).toLowerCase() : value,
      ),
    );

  /** Parts whose statements have no more parameters than the database allows. */
  const parts = <T>(all: readonly T[], parametersOf: (one: T) => number): readonly (readonly T[])[] => {
    const widest = Math.max(1, ...all.map(parametersOf));
    const size = Math.max(1, Math.floor(sql.maxParameters / widest));
    return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
      all.slice(index * size, (index + 1) * size),
    );
  };
  const select = async (lookups: readonly ColumnValues[], isLocking: boolean): Promise<readonly SourceRow[]> => {
    const found: SourceRow[] = [];
    for (const part of parts(lookups, (lookup) => Object.keys(lookup).length)) {
      const raw = await rawRows(() => {
        const query = matchingAny(selected(transaction), part);
        if (isLocking && sql.limitsLocked) void query.limit(part.length * maxFound + 1);
        if (!isLocking || dialect === 'sqlite') return query;
        // in one order, so that two batches do not wait for each other
        return query.orderBy(keyColumns.map(toIdentifier)).forUpdate();
      });
      if (raw.length > part.length * maxFound) throw new NotTogether();
      found.push(...(await valid(raw, transaction)));
    }
    return found;
  };
  /** The rows with these keys, by the text of the key. */
  const reread = async (keys: readonly RowKey[]): Promise<ReadonlyMap<string, SourceRow>> =>
    new Map((await select(keys.map(lookupOf), false)).map((row) => [keyTextOf(row.key), row]));

  const insertTogether = async (values: readonly ColumnValues[]): Promise<readonly Stored[]> => {
    const keys = values.map((one) => keyColumns.map((column) => one[column] ?? null));
    for (const part of parts(values, (one) => Object.keys(one).length))
      await rowsOf(transaction).insert(part.map((one) => stamped(one)));
    const found = await reread(keys);
    return keys.map((key) => {
      const row = found.get(keyTextOf(key));
      if (row === undefined) throw new NotTogether();
      return { affected: 1, row };
    });
  };

  /** Can PostgreSQL write these columns of several rows in one statement? */
  const isPlain = (columns: readonly string[]): boolean =>
    columns.every((column) => {
      const description = equalities.get(column)?.description ?? '';
      return plainTypes.test(description) || jsonTypes.test(description);
    });
  /** The value as JSON. A column of JSON gets its text unchanged. */
  const jsonOf = (column: string, value: ColumnValue): string => {
    if (value === null) return 'null';
    const isJson = jsonTypes.test(equalities.get(column)?.description ?? '');
    if (typeof value === 'boolean') return String(value);
    return isJson && typeof value === 'string' ? value : JSON.stringify(columnText(value));
  };
  const recordText = (values: ColumnValues): string =>
    `{${Object.entries(values)
      .map(([column, value]) => `${JSON.stringify(column)}:${jsonOf(column, value)}`)
      .join(',')}}`;
  /** Updates the same columns of several rows. @returns the texts of the keys of the written rows */
  const updateTogether = async (
    updates: readonly { readonly key: RowKey; readonly values: ColumnValues }[],
  ): Promise<ReadonlySet<string>> => {
    const written = Object.keys(updates[0]?.values ?? {});
    const name = (column: string): string => toIdentifier(column);
    const { schema, tableName } = metadata.dataSource;
    const table = schema === undefined ? [name(tableName)] : [name(schema), name(tableName)];
    const tableSql = table.map(() => '??').join('.');
    const isStamped = modifiedColumn !== undefined && !written.includes(modifiedColumn);
    const sets = [...written.map(() => '?? = v.??'), ...(isStamped ? [`?? = ${clock}`] : [])].join(', ');
    const text = `[${updates.map(({ key, values }) => recordText({ ...values, ...lookupOf(key) })).join(',')}]`;
    const answer: unknown = await transaction.raw(
      `UPDATE ${tableSql} AS t SET ${sets} FROM json_populate_recordset(NULL::${tableSql}, ?::json) AS v
       WHERE ${keyColumns.map(() => 't.?? = v.??').join(' AND ')} RETURNING ${keyColumns.map(() => 't.??').join(', ')}`,
      [
        ...table,
        ...written.flatMap((column) => [name(column), name(column)]),
        ...(isStamped ? [name(modifiedColumn)] : []),
        ...table,
        text,
        ...keyColumns.flatMap((column) => [name(column), name(column)]),
        ...keyColumns.map(name),
      ],
    );
    const raw = (answer as { readonly rows: readonly Readonly<Record<string, ColumnValue>>[] }).rows;
    return new Set(raw.map((row) => keyTextOf(keyColumns.map((column) => row[column] ?? null))));
  };

  return {
    ...rows,
    findAll: (lookups) => select(lookups, true),
    insertAll: async (all) => {
      const stored = new Map<ColumnValues, Stored>();
      const hasKey = (values: ColumnValues): boolean =>
        keyColumns.every((column) => values[column] !== undefined && values[column] !== null);
      for (const group of grouped(all, signatureOf)) {
        // the key of a single row, or one that the database makes, is returned by its own statement
        if (group.length === 1 || !group.every(hasKey) || !sql.insertsMany)
          for (const values of group) stored.set(values, await rows.insert(values));
        else for (const [at, one] of (await insertTogether(group)).entries()) stored.set(group[at] ?? {}, one);
      }
      return all.map((values) => stored.get(values) ?? { affected: 0, row: undefined });
    },
    updateAll: async (all) => {
      const affected = new Map<string, number>();
      for (const group of grouped(all, ({ values }) => signatureOf(values))) {
        const columns = [...Object.keys(group[0]?.values ?? {}), ...keyColumns];
        if (dialect === 'postgresql' && group.length > 1 && isPlain(columns))
          for (const keyText of await updateTogether(group)) affected.set(keyText, 1);
        else
          for (const { key, values } of group)
            affected.set(
              keyTextOf(key),
              await rowsOf(transaction)
                .where(byIdentifier(lookupOf(key)))
                .update(stamped(values)),
            );
      }
      const found = await reread(all.map(({ key }) => key));
      return all.map(({ key }) => {
        const keyText = keyTextOf(key);
        return { affected: affected.get(keyText) ?? 0, row: found.get(keyText) };
      });
    },
    deleteAll: async (keys) => {
      for (const part of parts(keys.map(lookupOf), (lookup) => Object.keys(lookup).length))
        await matchingAny(rowsOf(transaction), part).delete();
      const found = await reread(keys);
      return keys.map((key) => {
        const row = found.get(keyTextOf(key));
        return { affected: row === undefined ? 1 : 0, row };
      });
    },
  };
};
