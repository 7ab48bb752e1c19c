import { parseJson } from '@fds/json';
import { BrokenFile } from './broken-file.js';
import { createByteBuffer } from './byte-buffer.js';
import { rowFault, type ImportedRow } from './imported-row.js';
import type { RowSplitter } from './row-splitter.js';

const newline = 0x0a;
const empty = Buffer.alloc(0);

/**
 * Splits lines of JSON; blank lines are not rows. A line that is not JSON is a fault of its row; the last line, where no
 * newline ends it, must be JSON or the file breaks off there.
 */
export const createNdjsonSplitter = (maxRowBytes: number): RowSplitter => {
  const buffer = createByteBuffer(maxRowBytes);
  let row = 0;

  const readLine = (text: string | undefined): ImportedRow | undefined => {
    if (text === undefined) {
      row += 1;
      return rowFault(row, 'ROW_TOO_LARGE', `the row has more than ${maxRowBytes} bytes`);
    }
    if (text.trim() === '') return undefined;
    row += 1;
    try {
      return { row, value: parseJson(text) };
    } catch {
      return rowFault(row, 'MALFORMED_JSON', 'the row is not JSON, or nests too deep');
    }
  };

  return {
    push: (part) => {
      const rows: ImportedRow[] = [];
      let at = 0;
      for (let end = part.indexOf(newline); end !== -1; end = part.indexOf(newline, at)) {
        const read = readLine(buffer.take(part, at, end));
        if (read !== undefined) rows.push(read);
        at = end + 1;
      }
      buffer.add(part, at, part.length);
      return { rows };
    },
    end: () => {
      const read = readLine(buffer.take(empty, 0, 0));
      if (read === undefined) return { rows: [] };
      if (read.fault?.code !== 'MALFORMED_JSON') return { rows: [read] };
      return { rows: [], broken: new BrokenFile(`the file ends within row ${row}`, { code: 'MALFORMED_JSON', row }) };
    },
  };
};
