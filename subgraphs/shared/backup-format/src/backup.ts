import { createHash, type Hash } from 'node:crypto';
import { pipeline, type Transform } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { readEntries, toFrames, type Entry } from './entries.js';
import { BackupFault, seal, unseal } from './sealing.js';

/** A lower level halves the time of the whole backup, for a tenth more bytes. */
const gzipLevel = 1;
/** Each chunk is work of another thread: few large ones wait less for their turn. */
const chunkSize = 256 * 1024;

const through = (source: AsyncIterable<Buffer>, transform: Transform): AsyncIterable<Buffer> => {
  // the error of the source also destroys the transform, whose reader throws it
  pipeline(source, transform, () => undefined);
  return transform;
};

const rowsIn = (bytes: Buffer): number => {
  let rows = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) rows += 1;
  return rows;
};

/** Counts tables and rows. In the text format of COPY, a newline ends each row and is nowhere else. */
const createTally = () => {
  let tables = 0;
  let total = 0;
  let rows = 0;
  let digest: Hash = createHash('sha256');
  return {
    beginTable: (): void => {
      rows = 0;
      digest = createHash('sha256');
    },
    add: (bytes: Buffer): void => {
      rows += rowsIn(bytes);
      digest.update(bytes);
    },
    endTable: () => {
      tables += 1;
      total += rows;
      return { rows, sha256: digest.digest('hex') };
    },
    totals: () => ({ tables, rows: total }),
  };
};

const framesOf = async function* (entries: AsyncIterable<WrittenEntry>): AsyncGenerator<Buffer> {
  const tally = createTally();
  let isInTable = false;
  const end = (): Buffer[] => {
    if (!isInTable) return [];
    isInTable = false;
    return toFrames({ kind: 'END', ...tally.endTable() });
  };
  for await (const entry of entries) {
    if (entry.kind === 'ROWS') tally.add(entry.bytes);
    else yield* end();
    if (entry.kind === 'TABLE') {
      isInTable = true;
      tally.beginTable();
    }
    yield* toFrames(entry);
  }
  yield* end();
  yield* toFrames({ kind: 'TRAILER', totals: tally.totals() });
};

/** An entry that the writer of a backup gives. Ends of tables and the trailer follow from these. */
export type WrittenEntry = Exclude<Entry, { readonly kind: 'END' | 'TRAILER' }>;

/** Makes the bytes of a backup file. The source is read as fast as the bytes are. */
export const writeBackup = (entries: AsyncIterable<WrittenEntry>, passphrase: string): AsyncGenerator<Buffer> =>
  seal(through(framesOf(entries), createGzip({ level: gzipLevel, chunkSize })), passphrase);

const damaged = (detail: string): BackupFault => new BackupFault('DAMAGED', detail);

const inflate = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* through(source, createGunzip({ chunkSize }));
  } catch (error) {
    if (error instanceof BackupFault) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? '';
    throw code.startsWith('Z_') ? damaged('the content of the file is not complete') : error;
  }
};

/**
 * Reads a backup file. When the generator has ended, the file was complete and unchanged, and its numbers of tables and
 * rows agree.
 *
 * @throws BackupFault as soon as something is wrong
 * @throws the error of the source
 */
export const readBackup = async function* (source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Entry> {
  const tally = createTally();
  let last: Entry['kind'] | undefined;
  let table = '';
  for await (const entry of readEntries(inflate(unseal(source, passphrase)))) {
    const isInTable = last === 'TABLE' || last === 'ROWS';
    if ((last === undefined) !== (entry.kind === 'HEAD') || last === 'TRAILER') throw damaged('the order is wrong');
    if (isInTable !== (entry.kind === 'ROWS' || entry.kind === 'END')) throw damaged('the order is wrong');
    if (entry.kind === 'TABLE') {
      table = entry.name;
      tally.beginTable();
    } else if (entry.kind === 'ROWS') tally.add(entry.bytes);
    else if (entry.kind === 'END') {
      const counted = tally.endTable();
      if (counted.rows !== entry.rows || counted.sha256 !== entry.sha256)
        throw damaged(`table ${table} has ${counted.rows} rows instead of ${entry.rows}, or others`);
    } else if (entry.kind === 'TRAILER') {
      const { tables, rows } = tally.totals();
      if (tables !== entry.totals.tables || rows !== entry.totals.rows) throw damaged('tables are missing');
    }
    last = entry.kind;
    yield entry;
  }
  if (last !== 'TRAILER') throw damaged('the file has no end');
};
