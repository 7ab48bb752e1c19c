import { expect, it } from '@jest/globals';
import { createNdjsonSplitter } from './ndjson-splitter.js';
import { splitRows } from './row-splitter.js';

it('lets other work in while it splits a large part, and keeps the rows of the part together', async () => {
  const count = 300_000;
  const part = Buffer.from('7\n'.repeat(count));
  let turns = 0;
  let isSplitting = true;
  const takeTurn = (): void => {
    turns += 1;
    if (isSplitting) setImmediate(takeTurn);
  };
  setImmediate(takeTurn);
  const lengths: number[] = [];
  const parts = (async function* () {
    yield part;
  })();
  for await (const rows of splitRows(parts, createNdjsonSplitter(100))) lengths.push(rows.length);
  isSplitting = false;
  expect(lengths).toEqual([count]);
  expect(turns).toBeGreaterThan(3);
});

it.each([1, 2, 3, 4, 5, 6, 7])('cuts no character in two: %i bytes before it', async (before) => {
  const text = `"${'x'.repeat(before)}${'\u{1F600}é'.repeat(3000)}"`;
  const parts = (async function* () {
    yield Buffer.from(`${text}\n`);
  })();
  const values: unknown[] = [];
  for await (const rows of splitRows(parts, createNdjsonSplitter(100_000))) {
    for (const row of rows) values.push('value' in row ? row.value : row.fault);
  }
  expect(values).toEqual([JSON.parse(text)]);
});
