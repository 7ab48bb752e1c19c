import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@fds/json';
import { casesOf, createRandom } from '@fds/testing';
import { RowWindow, type TakenRow, type WindowRow } from './row-window.js';

interface Outcomes {
  readonly records: Readonly<Record<string, string>>;
  readonly counts: { readonly created: number; readonly updated: number; readonly unchanged: number; failed: number };
  readonly refused: readonly number[];
}

const boundless = { bytes: Number.MAX_SAFE_INTEGER, bytesOnceRepeated: Number.MAX_SAFE_INTEGER };

const rowOf = (row: number, key: string | undefined, name: string): WindowRow => ({
  row,
  key,
  given: { id: key ?? null, name },
  json: { id: key ?? null, name },
});

/** A database that refuses long texts. It applies rows one after the other. */
const createDatabase = () => {
  const records: Record<string, string> = {};
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  const refused: number[] = [];
  const apply = ({ row, key, json }: WindowRow): 'CREATED' | 'UPDATED' | 'UNCHANGED' | 'REFUSED' => {
    const { name } = json as JsonObject & { readonly name: string };
    if (key === undefined || name.length > 500) {
      refused.push(row);
      return 'REFUSED';
    }
    const before = records[key];
    records[key] = name;
    if (before === undefined) return 'CREATED';
    return before === name ? 'UNCHANGED' : 'UPDATED';
  };
  const count = (outcome: ReturnType<typeof apply>): void => {
    if (outcome === 'CREATED') counts.created += 1;
    else if (outcome === 'UPDATED') counts.updated += 1;
    else if (outcome === 'UNCHANGED') counts.unchanged += 1;
    else counts.failed += 1;
  };
  return {
    apply: (rows: readonly WindowRow[]) => rows.forEach((row) => count(apply(row))),
    applyTaken: (rows: readonly TakenRow<WindowRow>[]) => {
      for (const { item, outcome, replaced } of rows) {
        const result = apply(item);
        count(result === 'UPDATED' || result === 'UNCHANGED' ? (outcome ?? result) : result);
        counts.updated += replaced.updated;
        counts.unchanged += replaced.unchanged;
      }
    },
    outcomes: (): Outcomes => ({ records, counts, refused: refused.toSorted((one, other) => one - other) }),
  };
};

describe('the window of rows', () => {
  it.each([
    ['without a bound', boundless],
    ['with a small bound', { bytes: 9_000, bytesOnceRepeated: 18_000 }],
    ['of one row', { bytes: 0, bytesOnceRepeated: 0 }],
  ])('gives the outcome of all rows in their order, %s', (_, bounds) => {
    for (let seed = 1; seed <= casesOf(300); seed += 1) {
      const random = createRandom(seed);
      const names = ['a', 'b', 'ü', 'a'.repeat(501)];
      const rows = Array.from({ length: 60 }, (_row, index) =>
        rowOf(index + 1, random.below(15) === 0 ? undefined : `k${random.below(6)}`, names[random.below(4)] ?? 'a'),
      );
      const [inOrder, throughWindow] = [createDatabase(), createDatabase()];
      inOrder.apply(rows);
      const window = new RowWindow(bounds);
      for (const row of rows) {
        window.add(row);
        while (window.isOverfull) throughWindow.applyTaken(window.take(10, 50_000));
      }
      while (!window.isEmpty) throughWindow.applyTaken(window.take(10, 50_000));
      expect({ seed, ...throughWindow.outcomes() }).toEqual({ seed, ...inOrder.outcomes() });
    }
  });

  it('keeps the first and the last row of a key, however many there are', () => {
    const window = new RowWindow({ bytes: 4_000, bytesOnceRepeated: 4_000 });
    let wasOverfull = false;
    for (let row = 1; row <= 100_000; row += 1) {
      window.add(rowOf(row, 'k', `n${row}`));
      wasOverfull ||= window.isOverfull;
    }
    expect(wasOverfull).toBe(false);
    const taken = window.take(2500, 2 ** 20);
    expect(taken.map(({ item }) => item.row)).toEqual([1, 100_000]);
    expect(taken.map(({ replaced }) => replaced.updated)).toEqual([0, 99_998]);
    expect(window.isEmpty).toBe(true);
  });

  it('is overfull at its bound, which a repeated key raises', () => {
    const bytes = 1000 + 'id'.length + 'k1'.length + 'name'.length + 'n'.length;
    const window = new RowWindow({ bytes: 3 * bytes, bytesOnceRepeated: 5 * bytes });
    for (const key of ['k1', 'k2', 'k3']) window.add(rowOf(1, key, 'n'));
    expect(window.isOverfull).toBe(false);
    window.add(rowOf(4, 'k4', 'n'));
    expect(window.isOverfull).toBe(true);
    window.add(rowOf(5, 'k1', 'n'));
    expect(window.isOverfull).toBe(false);
    window.add(rowOf(6, 'k6', 'n'));
    expect(window.isOverfull).toBe(true);
    // the keys that were not seen for the longest time leave it
    expect(window.take(1, 2 ** 20).map(({ item }) => item.key)).toEqual(['k2']);
    expect(window.isOverfull).toBe(false);
  });

  it('counts the row as it was read where only the key is kept', () => {
    const window = new RowWindow({ bytes: 20_000, bytesOnceRepeated: 20_000 });
    const given = { id: 'k', name: 'x'.repeat(9_000) };
    window.add({ row: 1, key: 'k1', given, json: null });
    expect(window.isOverfull).toBe(false);
    window.add({ row: 2, key: 'k2', given, json: null });
    expect(window.isOverfull).toBe(true);
  });

  it('gives pieces of equal length, with the rows of a key together', () => {
    const window = new RowWindow(boundless);
    for (let row = 1; row <= 30; row += 1) window.add(rowOf(row, `k${row % 11}`, `n${row}`));
    const pieces: number[][] = [];
    while (!window.isEmpty) pieces.push(window.take(8, 2 ** 20).map(({ item }) => item.row));
    expect(pieces.map(({ length }) => length)).toEqual([8, 6, 8]);
    const keys = pieces.map((rows) => new Set(rows.map((row) => row % 11)));
    expect(keys.reduce((sum, { size }) => sum + size, 0)).toBe(11);
  });
});
