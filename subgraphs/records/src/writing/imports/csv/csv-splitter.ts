import type { CompiledModel } from '@fds/model-schema';
import { CsvError, parse } from 'csv-parse';
import { BrokenFile } from '../rows/broken-file.js';
import { rowFault, type ImportedRow } from '../rows/imported-row.js';
import type { RowSplitter, SplitRows } from '../rows/row-splitter.js';
import type { KeyTypeOf } from './read-cell.js';
import { countPaths, readHeader, type ReadCells } from './read-header.js';

type Cells = readonly (string | undefined)[];

export interface CsvSplitterOptions {
  readonly model: CompiledModel;
  readonly keyTypeOf: KeyTypeOf;
  readonly maxRowBytes: number;
}

/** A row has more cells than any row of the file may have. */
class TooManyCells extends Error {}

/** A row with so many more cells than the header is a fault of the row. More of them end the file. */
const toleratedCells = 1000;

const describe = (error: Error): string => {
  if (error instanceof TooManyCells) return error.message;
  switch (error instanceof CsvError ? error.code : undefined) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'the file ends within a quoted cell';
    case 'CSV_MAX_RECORD_SIZE':
      return 'a row is too large';
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'a closing quote is followed by something else than a comma or a new line';
    case 'INVALID_OPENING_QUOTE':
      return 'a quote is within a cell that is not quoted';
    default:
      return 'the file cannot be read as CSV';
  }
};

/**
 * Splits CSV (RFC 4180) with a header into rows. An empty cell is absent, a quoted empty one blank text; lines without any
 * text are not rows.
 */
export const createCsvSplitter = ({ model, keyTypeOf, maxRowBytes }: CsvSplitterOptions): RowSplitter => {
  /** Titles that the header may have. */
  const maxTitles = countPaths(model);
  let records: Cells[] = [];
  let readCells: ReadCells | undefined;
  /** Cells of the header; 0 before it is read. */
  let width = 0;
  let row = 0;

  const parser = parse({
    cast: (value, { quoting, index }) => {
      const most = width === 0 ? maxTitles : width + toleratedCells;
      if (index < most) return value === '' && !quoting ? undefined : value;
      throw new TooManyCells(
        width === 0
          ? `the header has more titles than the model has properties (${most})`
          : `a row has more than ${most} cells, the header has ${width}`,
      );
    },
    max_record_size: maxRowBytes,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    // nothing goes through the stream's own queue
    on_record: (record: Cells) => {
      records.push(record);
      if (width === 0) width = record.length;
      return null;
    },
  });
  parser.resume();
  // reported to the writer
  parser.on('error', () => undefined);

  const toRow = (cells: Cells, read: ReadCells): ImportedRow => {
    row += 1;
    return cells.length === width
      ? { row, value: read(cells) }
      : rowFault(row, 'WRONG_CELL_COUNT', `the row has ${cells.length} cells, the header ${width}`);
  };

  const takeRecords = (error: Error | null | undefined): SplitRows => {
    const taken = records;
    records = [];
    if (readCells === undefined && taken.length > 0) {
      const titles = (taken.shift() ?? []).map((title) => title ?? '');
      try {
        readCells = readHeader(model, titles, keyTypeOf);
      } catch (fault) {
        if (fault instanceof BrokenFile) return { rows: [], broken: fault };
        throw fault;
      }
    }
    const read = readCells;
    const rows = read === undefined ? [] : taken.map((cells) => toRow(cells, read));
    if (error === null || error === undefined) return { rows };
    const message = `${describe(error)}, in row ${row + 1}`;
    return { rows, broken: new BrokenFile(message, { code: 'MALFORMED_CSV', row: row + 1 }) };
  };

  /** Waits until the parser has taken the bytes. */
  const feed = (give: (done: (error?: Error | null) => void) => void): Promise<SplitRows> =>
    new Promise((resolve, reject) => {
      give((error) => {
        try {
          resolve(takeRecords(error));
        } catch (fault) {
          reject(fault);
        }
      });
    });

  return {
    push: (part) => feed((done) => parser.write(part, done)),
    end: async () => {
      const last = await feed((done) => parser.end(done));
      if (last.broken !== undefined || readCells !== undefined) return last;
      return { rows: [], broken: new BrokenFile('the file has no header', { code: 'MALFORMED_CSV' }) };
    },
  };
};
