import { stringifyJson, type JsonValue } from '@fds/adaptor-protocol';
import { rowKeyText, type RowKey } from '../source/row-key.js';
import type { SourceRow } from '../source/source-row.js';
import type { SourceTable } from '../source/source-table.js';

/** A property to sort by. */
export interface PropertyOrder {
  readonly property: string;
  readonly order: 'asc' | 'desc';
}

interface Sorted {
  readonly key: RowKey;
  readonly values: readonly JsonValue[];
}

const rowsAtOnce = 1_000;

/** Characters of the keys and sorted values of all rows. */
const maxCharacters = 64 * 1024 * 1024;

const rankOf = (value: JsonValue): number => {
  if (value === null) return 2;
  return typeof value === 'number' || typeof value === 'bigint' ? 0 : 1;
};

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : stringifyJson([value]));

/** Numbers by their value, then texts, then null. */
const compare = (left: JsonValue, right: JsonValue): number => {
  const ranks = rankOf(left) - rankOf(right);
  if (ranks !== 0) return ranks;
  const [one, other] = rankOf(left) === 0 ? [left, right] : [textOf(left), textOf(right)];
  if (one === other || one === null || other === null) return 0;
  return one < other ? -1 : 1;
};

/**
 * A page of the rows that satisfy the row filter, in the order of properties that expressions compute. Reads the whole
 * table, and keeps the keys and the values to sort by.
 *
 * @throws Error when they exceed the bound
 */
export const pageInMemory = async (
  table: SourceTable,
  offset: number,
  size: number,
  order: readonly PropertyOrder[],
): Promise<{ readonly rows: readonly SourceRow[]; readonly total: number }> => {
  const all: Sorted[] = [];
  let characters = 0;
  let after: RowKey | undefined;
  do {
    const { rows, last } = await table.rowsBehind(after, rowsAtOnce);
    for (const { key, keyText, record } of rows) {
      const values = order.map(({ property }) => record[property] ?? null);
      characters += keyText.length + values.reduce<number>((sum, value) => sum + textOf(value).length, 0);
      all.push({ key, values });
    }
    if (characters > maxCharacters)
      throw new Error(
        'the table has too many rows to be sorted or filtered by expressions: ask for records by their keys',
      );
    after = last;
  } while (after !== undefined);
  if (order.length > 0)
    all.sort((left, right) => {
      for (const [at, { order: direction }] of order.entries()) {
        const result = compare(left.values[at] ?? null, right.values[at] ?? null);
        if (result !== 0) return direction === 'desc' ? -result : result;
      }
      return 0;
    });
  const keys = all.slice(offset, offset + size).map(({ key }) => key);
  if (keys.length === 0) return { rows: [], total: all.length };
  const found = new Map((await table.findKeys(keys)).rows.map((row) => [row.keyText, row]));
  return {
    rows: keys.flatMap((key) => found.get(rowKeyText(key)) ?? []),
    total: all.length,
  };
};
