import type { RowKey } from '../../../source/row-key.js';

type Values = Readonly<Record<string, unknown>>;

/** A row before and after a change; one of them is missing for an insert or a deletion. */
export interface ChangedRow {
  readonly before?: Values;
  readonly after?: Values;
}

/** The keys of the row before and after; undefined: the log does not have a value. A session can leave columns out. */
export const keysOf = ({ before, after }: ChangedRow, keyColumns: readonly string[]): readonly RowKey[] | undefined => {
  const keys: (string | number)[][] = [];
  for (const image of [before, after]) {
    if (image === undefined) continue;
    const key: (string | number)[] = [];
    for (const column of keyColumns) {
      // a column that did not change can be missing after the change
      const value = image[column] ?? before?.[column];
      if (typeof value !== 'string' && typeof value !== 'number') return undefined;
      key.push(value);
    }
    keys.push(key);
  }
  return keys;
};
