import { expect, it } from '@jest/globals';
import { readBackup, writeBackup, type WrittenEntry } from './backup.js';
import type { Entry } from './entries.js';

const passphrase = 'correct horse battery staple';

const row = (index: number): string => `${index}\tvalue ${index} ${'x'.repeat(index % 50)}\n`;
const rows = Buffer.from(Array.from({ length: 20_000 }, (_, index) => row(index * 7919)).join(''));

const sample = async function* (): AsyncGenerator<WrittenEntry> {
  yield {
    kind: 'HEAD',
    head: { version: '1.0.0', postgres: '18.4', date: '2026-11-29T00:00:00.000Z', migrations: [] },
  };
  yield { kind: 'FILE', name: 'secret.key', content: 'key' };
  yield { kind: 'TABLE', name: 'empty', columns: ['a'] };
  yield { kind: 'TABLE', name: 'full', columns: ['a', 'b'] };
  // a piece may end within a row
  yield { kind: 'ROWS', bytes: rows.subarray(0, 100_001) };
  yield { kind: 'ROWS', bytes: rows.subarray(100_001) };
  yield { kind: 'SEQUENCES', sequences: [{ name: 'change_log_position_seq', last: '9007199254740993' }] };
};

const collect = async (source: AsyncIterable<Buffer>): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces);
};

/** Gives the bytes in pieces whose ends agree with no chunk. */
const inSteps = async function* (bytes: Buffer, step = 10_007): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
};

const readAll = async (bytes: Buffer, words = passphrase): Promise<Entry[]> => {
  const entries: Entry[] = [];
  for await (const entry of readBackup(inSteps(bytes), words)) entries.push(entry);
  return entries;
};

const file = collect(writeBackup(sample(), passphrase));

it('gives back what was written, with the numbers of rows', async () => {
  const bytes = await file;
  expect(bytes.length).toBeGreaterThan(2 * 65_552);
  const entries = await readAll(bytes);
  const written = entries.flatMap((entry) => (entry.kind === 'ROWS' ? [entry.bytes] : []));
  expect(Buffer.concat(written).equals(rows)).toBe(true);
  expect(entries.filter(({ kind }) => kind !== 'ROWS')).toEqual([
    expect.objectContaining({ kind: 'HEAD' }),
    { kind: 'FILE', name: 'secret.key', content: 'key' },
    { kind: 'TABLE', name: 'empty', columns: ['a'] },
    expect.objectContaining({ kind: 'END', rows: 0 }),
    { kind: 'TABLE', name: 'full', columns: ['a', 'b'] },
    expect.objectContaining({ kind: 'END', rows: 20_000 }),
    { kind: 'SEQUENCES', sequences: [{ name: 'change_log_position_seq', last: '9007199254740993' }] },
    { kind: 'TRAILER', totals: { tables: 2, rows: 20_000 } },
  ]);
});

it('hides its content, and never has the same bytes', async () => {
  const bytes = await file;
  expect(bytes.includes('secret.key')).toBe(false);
  const other = await collect(writeBackup(sample(), passphrase));
  expect(other.subarray(64, 128).equals(bytes.subarray(64, 128))).toBe(false);
});

it('is refused with another passphrase', async () => {
  await expect(readAll(await file, `${passphrase} `)).rejects.toMatchObject({ code: 'WRONG_PASSPHRASE' });
});

it('is refused when a byte was changed, wherever it is', async () => {
  const bytes = await file;
  const last = bytes.length - 1;
  // the salt, the cost, the code of the header, the first chunk, its tag, a later chunk, the last tag
  for (const [at, code] of [
    [0, 'NOT_A_BACKUP'],
    [11, 'NEWER_FORMAT'],
    [13, 'DAMAGED'],
    [20, 'WRONG_PASSPHRASE'],
    [40, 'WRONG_PASSPHRASE'],
    [64, 'DAMAGED'],
    [64 + 65_536, 'DAMAGED'],
    [64 + 65_552 + 1, 'DAMAGED'],
    [last, 'DAMAGED'],
  ] as const) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 0x40;
    await expect(readAll(changed)).rejects.toMatchObject({ code });
  }
});

it('is refused when its end is missing, also at the end of a chunk, or when bytes follow', async () => {
  const bytes = await file;
  for (const length of [0, 30, 64, 70, 64 + 65_552, bytes.length - 1]) {
    await expect(readAll(bytes.subarray(0, length))).rejects.toMatchObject({ name: 'BackupFault' });
  }
  await expect(readAll(Buffer.concat([bytes, Buffer.of(1)]))).rejects.toMatchObject({ code: 'DAMAGED' });
});

it('is refused when two chunks were exchanged', async () => {
  const bytes = await file;
  const chunk = (index: number): Buffer => bytes.subarray(64 + index * 65_552, 64 + (index + 1) * 65_552);
  const rest = bytes.subarray(64 + 2 * 65_552);
  const exchanged = Buffer.concat([bytes.subarray(0, 64), chunk(1), chunk(0), rest]);
  await expect(readAll(exchanged)).rejects.toMatchObject({ code: 'DAMAGED' });
});

it('costs no more memory or time than a real one when its header asks for more', async () => {
  const bytes = Buffer.from(await file);
  bytes.set([31, 255, 4], 13);
  await expect(readAll(bytes)).rejects.toMatchObject({ code: 'DAMAGED' });
});

it('passes the fault of its writer on, and ends without a trailer', async () => {
  const failing = async function* (): AsyncGenerator<WrittenEntry> {
    yield* sample();
    throw new Error('the database is gone');
  };
  await expect(collect(writeBackup(failing(), passphrase))).rejects.toThrow('the database is gone');
});
