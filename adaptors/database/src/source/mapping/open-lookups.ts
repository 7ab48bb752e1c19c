import { stringifyJson, type JsonObject, type JsonValue } from '@fds/adaptor-protocol';
import type { Knex } from 'knex';
import { columnText, type ColumnValue } from '../../columns/column-text.js';
import type { LookupMetadata } from '../../configuration/mapping-metadata.js';
import type { ColumnEquality } from '../column-equality.js';
import { readEqualities } from '../column-equality.js';
import type { Dialect } from '../dialect.js';
import { toIdentifier } from '../identifier.js';
import { contextValue } from './context-value.js';
import { lookupId } from './evaluation-thread.js';

/** Rows of other tables, by their keys. */
export interface Lookups {
  /**
   * The rows for these names and keys, by `lookupId`. Null for a row that does not exist.
   *
   * @param on the connection or transaction to read with
   */
  rows(wanted: readonly (readonly [string, JsonValue])[], on: Knex): Promise<Readonly<Record<string, JsonValue>>>;
}

/** Rows that are kept, in characters of their JSON. */
const maxCharacters = 4 * 1024 * 1024;
/** A row is read again after this time: the adaptor does not see changes of the other table. */
const keptMs = 5_000;
/** Keys in one statement. */
const maxKeys = 500;

interface Kept {
  readonly row: JsonValue;
  readonly size: number;
  readonly untilMs: number;
}

export const openLookups = (
  lookups: Readonly<Record<string, LookupMetadata>>,
  dialect: Dialect,
  defaultSchema: string | undefined,
): Lookups => {
  const kept = new Map<string, Kept>();
  let size = 0;
  const types = new Map<string, ReadonlyMap<string, ColumnEquality>>();
  const forget = (id: string): void => {
    size -= kept.get(id)?.size ?? 0;
    kept.delete(id);
  };
  const keep = (id: string, row: JsonValue): void => {
    forget(id);
    const one = { row, size: id.length + stringifyJson([row]).length, untilMs: performance.now() + keptMs };
    kept.set(id, one);
    size += one.size;
    for (const [oldest] of kept) {
      if (size <= maxCharacters) break;
      forget(oldest);
    }
  };
  const typesOf = async (name: string, lookup: LookupMetadata, on: Knex) => {
    const known = types.get(name);
    if (known !== undefined) return known;
    const schema = lookup.schema ?? defaultSchema;
    const found = await readEqualities(on, dialect, {
      name: '',
      tableName: lookup.table,
      ...(schema === undefined ? {} : { schema }),
    });
    types.set(name, found);
    return found;
  };
  const read = async (name: string, keys: readonly JsonValue[], on: Knex): Promise<ReadonlyMap<string, JsonObject>> => {
    const lookup = lookups[name];
    if (lookup === undefined) return new Map();
    const { table, key, columns } = lookup;
    const schema = lookup.schema ?? defaultSchema;
    const typed = await typesOf(name, lookup, on);
    const found = new Map<string, JsonObject>();
    for (let at = 0; at < keys.length; at += maxKeys) {
      const from: Knex.QueryBuilder =
        schema === undefined ? on(toIdentifier(table)) : on.withSchema(toIdentifier(schema)).table(toIdentifier(table));
      const raw = (await from.select(...[...new Set([key, ...columns])].map(toIdentifier)).whereIn(
        toIdentifier(key),
        keys.slice(at, at + maxKeys).map((one) => keyValue(one, dialect)),
      )) as Record<string, ColumnValue>[];
      for (const row of raw) {
        const held = row[key] ?? null;
        const values = columns.map((column): [string, JsonValue] => [
          column,
          contextValue(typed.get(column)?.description, row[column] ?? null, dialect),
        ]);
        found.set(lookupId(name, columnText(held)), Object.fromEntries(values));
      }
    }
    return found;
  };

  return {
    rows: async (wanted, on) => {
      const rows: Record<string, JsonValue> = {};
      const absent = new Map<string, Map<string, JsonValue>>();
      for (const [name, key] of wanted) {
        const id = lookupId(name, key);
        const one = kept.get(id);
        if (one !== undefined && one.untilMs > performance.now()) rows[id] = one.row;
        else absent.set(name, (absent.get(name) ?? new Map<string, JsonValue>()).set(id, key));
      }
      for (const [name, keys] of absent) {
        const found = await read(name, [...keys.values()], on);
        for (const id of keys.keys()) {
          const row = found.get(id) ?? null;
          rows[id] = row;
          // a row that does not exist may come at any time
          if (row !== null) keep(id, row);
        }
      }
      return rows;
    },
  };
};

const keyValue = (key: JsonValue, dialect: Dialect): Knex.Value => {
  if (typeof key === 'bigint') return dialect === 'sqlite' ? (key as unknown as Knex.Value) : String(key);
  // SQLite compares 1.0 with 1, and other drivers send the text of the number
  return typeof key === 'number' || typeof key === 'string' || typeof key === 'boolean' ? key : stringifyJson([key]);
};
