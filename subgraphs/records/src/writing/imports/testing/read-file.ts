import { BrokenFile } from '../rows/broken-file.js';
import type { ImportedRow } from '../rows/imported-row.js';
import { splitRows, type RowSplitter } from '../rows/row-splitter.js';
import { utf8Parts } from '../rows/utf8-parts.js';

/** A file as it was read: its rows, and where it broke off. */
interface ReadFile {
  readonly rows: readonly ImportedRow[];
  readonly broken?: BrokenFile;
}

const inParts = async function* (bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
};

/** Reads a whole file in parts of so many bytes. */
export const readFile = async (
  file: string | Buffer,
  splitter: RowSplitter,
  partBytes = Number.POSITIVE_INFINITY,
): Promise<ReadFile> => {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file;
  const parts = utf8Parts(inParts(bytes, Math.min(partBytes, Math.max(bytes.length, 1))), 'MALFORMED_JSON');
  const rows: ImportedRow[] = [];
  try {
    for await (const some of splitRows(parts, splitter)) rows.push(...some);
    return { rows };
  } catch (error) {
    if (error instanceof BrokenFile) return { rows, broken: error };
    throw error;
  }
};

/** Values of the rows that could be read; code of the others' faults. */
export const valuesOf = ({ rows }: ReadFile): unknown[] =>
  rows.map((row) => (row.fault === undefined ? row.value : row.fault.code));
