import type { Knex } from 'knex';
import type { ColumnValue } from '../columns/column-text.js';
import { toIdentifier } from './identifier.js';

type RawRow = Readonly<Record<string, ColumnValue>>;

/** Texts of columns of SQLite with U+0000: the driver ends a text there, so it would show a part as the whole. */
export interface NulTexts {
  /** Columns to select in addition: null, unless a text of these columns has the character. */
  selection(connection: Knex, columns: readonly string[]): readonly Knex.Raw[];
  /** The rows with whole texts. Nearly all rows have no such text. */
  whole(rows: readonly RawRow[]): readonly RawRow[];
}

/** The whole texts of a row are selected under this name, as JSON of hexadecimal digits by the place of the column. */
const extra = 'fds whole texts ';
/** A function of SQLite has at most 127 arguments. */
const columnsOfExtra = 50;

const none: NulTexts = { selection: () => [], whole: (rows) => rows };

/** @param textColumns the columns that are read as texts */
export const createNulTexts = (dialect: string, textColumns: readonly string[]): NulTexts => {
  if (dialect !== 'sqlite' || textColumns.length === 0) return none;
  const extras = Array.from({ length: Math.ceil(textColumns.length / columnsOfExtra) }, (_, at) => `${extra}${at}`);
  const has = `(typeof(??) = 'text' AND instr(??, char(0)) > 0)`;
  return {
    selection: (connection, columns) =>
      extras.flatMap((name, at) => {
        const own = textColumns
          .map((column, place) => ({ identifier: toIdentifier(column), column, place }))
          .slice(at * columnsOfExtra, (at + 1) * columnsOfExtra)
          .filter(({ column }) => columns.includes(column));
        if (own.length === 0) return [];
        const each = own.map(({ place }) => `'${place}', CASE WHEN ${has} THEN hex(??) END`).join(', ');
        const sql = `CASE WHEN ${own.map(() => has).join(' OR ')} THEN json_object(${each}) END AS ??`;
        const tested = own.flatMap(({ identifier }) => [identifier, identifier]);
        const taken = own.flatMap(({ identifier }) => [identifier, identifier, identifier]);
        return [connection.raw(sql, [...tested, ...taken, name])];
      }),
    whole: (rows) =>
      rows.map((row) => {
        const found = extras.flatMap((name) => (typeof row[name] === 'string' ? [row[name]] : []));
        if (found.length === 0) return row;
        const texts = found.flatMap((text) =>
          Object.entries(JSON.parse(text) as Record<string, string | null>).flatMap(
            ([place, digits]): [string, string][] => {
              const column = textColumns[Number(place)];
              return column === undefined || digits === null ? [] : [[column, Buffer.from(digits, 'hex').toString()]];
            },
          ),
        );
        return { ...row, ...Object.fromEntries(texts) };
      }),
  };
};
