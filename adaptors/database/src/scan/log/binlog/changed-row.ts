import type { RowKey } from '../../../source/row-key.js';

type Values = Readonly<Record<string, unknown>>;

/** A row before and after a change. An insert has no row before, a deletion no row after. */
export interface ChangedRow {
  readonly before?: Values;
  readonly after?: Values;
}

/**
 * The keys of the row before and after the change. Undefined: the log lacks a value, because a session can leave
 * columns out.
 */
export const keysOf = ({ before, after }: ChangedRow, keyColumns: readonly string[]): readonly RowKey[] | undefined => {
  const keys: (string | number)[][] = [];
  for (const image of [before, after]) {
    if (image === undefined) continue;
    const key: (string | number)[] = [];
    for (const column of keyColumns) {
      // an unchanged column can be missing in the row after the change
      const value = image[column] ?? before?.[column];
      if (typeof value !== 'string' && typeof value !== 'number') return undefined;
      key.push(value);
    }
    keys.push(key);
  }
  return keys;
};
