import type { ColumnValue } from '../../columns/column-text.js';
import type { RowKey } from '../../source/row-key.js';

/**
 * A message of the output plugin test_decoding about one table. ROWS: rows with these keys changed. UNKNOWN: rows changed
 * whose keys the message does not have. OTHER: it is about another table.
 */
export type DecodedMessage =
  | { readonly kind: 'BEGIN'; readonly transaction: number }
  | { readonly kind: 'COMMIT' | 'UNKNOWN' | 'OTHER' }
  | { readonly kind: 'ROWS'; readonly keys: readonly RowKey[] };

const other: DecodedMessage = { kind: 'OTHER' };
const unknown: DecodedMessage = { kind: 'UNKNOWN' };

const unchanged = 'unchanged-toast-datum';

/** The end of a quoted text that begins at the position; its quotation marks are doubled inside. */
const endOfQuoted = (text: string, at: number): number => {
  const mark = text[at] ?? '';
  let end = text.indexOf(mark, at + 1);
  while (end >= 0 && text[end + 1] === mark) end = text.indexOf(mark, end + 2);
  return end < 0 ? text.length : end + 1;
};

const unquoted = (quoted: string): string => {
  const mark = quoted[0] ?? '';
  return quoted.slice(1, -1).replaceAll(mark + mark, mark);
};

/** The end of the type of a column and of the `]:` behind it. The name of a type may contain brackets. */
const endOfType = (text: string, from: number): number => {
  let at = from;
  while (at < text.length && !text.startsWith(']:', at)) at = text[at] === '"' ? endOfQuoted(text, at) : at + 1;
  return at + 2;
};

/** ` name[type]:value` for each column, up to the end of the message or of the old row. */
const readTuple = (
  text: string,
  from: number,
  columns: readonly string[],
): { readonly values: ReadonlyMap<string, ColumnValue | undefined>; readonly end: number } => {
  const values = new Map<string, ColumnValue | undefined>();
  let at = from;
  while (at < text.length && text[at] === ' ' && text[at + 1] !== '(') {
    const start = at + 1;
    if (text.startsWith('new-tuple:', start)) break;
    const afterName = text[start] === '"' ? endOfQuoted(text, start) : text.indexOf('[', start);
    const name = text[start] === '"' ? unquoted(text.slice(start, afterName)) : text.slice(start, afterName);
    const value = endOfType(text, afterName + 1);
    const isQuoted = text[value] === "'" || text.startsWith("B'", value);
    const blank = text.indexOf(' ', value);
    at = isQuoted ? endOfQuoted(text, text.indexOf("'", value)) : blank < 0 ? text.length : blank;
    if (!columns.includes(name)) continue;
    const spelled = text.slice(value, at);
    if (isQuoted) values.set(name, unquoted(spelled));
    else values.set(name, spelled === 'null' ? null : spelled === unchanged ? undefined : spelled);
  }
  return { values, end: at };
};

/** The key of a row. Undefined: the message does not have it. A column that is null may be absent. */
const keyOf = (
  values: ReadonlyMap<string, ColumnValue | undefined>,
  columns: readonly string[],
): RowKey | undefined => {
  if (values.size === 0 || [...values.values()].includes(undefined)) return undefined;
  return columns.map((column) => values.get(column) ?? null);
};

const identifier = String.raw`(?:"(?:[^"]|"")*"|[a-z_][a-z0-9_]*)`;
const truncated = new RegExp(
  String.raw`^table (${identifier}\.${identifier}(?:, ${identifier}\.${identifier})*): TRUNCATE:`,
);
const oneOfTruncated = new RegExp(String.raw`${identifier}\.${identifier}`, 'g');

/**
 * Reads messages of test_decoding. The plugin sends the changes of all tables; a message about another table is recognised by
 * its first bytes.
 *
 * @param table qualified and quoted name
 * @param keyColumns of the table, in the order of the row key
 */
export const createMessageReader = (
  table: string,
  keyColumns: readonly string[],
): ((message: Buffer) => DecodedMessage) => {
  const prefix = Buffer.from(`table ${table}: `);
  const readRow = (text: string): DecodedMessage => {
    const [, action = ''] = /^(\w+):/.exec(text) ?? [];
    if (!['INSERT', 'UPDATE', 'DELETE'].includes(action)) return unknown;
    const afterAction = action.length + 1;
    const hasOld = text.startsWith(' old-key:', afterAction);
    const first = readTuple(text, hasOld ? afterAction + ' old-key:'.length : afterAction, keyColumns);
    const second = hasOld ? readTuple(text, first.end + ' new-tuple:'.length, keyColumns) : undefined;
    const keys = [first, second].flatMap((tuple) => (tuple === undefined ? [] : [keyOf(tuple.values, keyColumns)]));
    const known = keys.filter((key) => key !== undefined);
    return known.length < keys.length ? unknown : { kind: 'ROWS', keys: known };
  };

  return (message) => {
    if (message.subarray(0, prefix.length).equals(prefix)) return readRow(message.toString('utf8', prefix.length));
    const start = message.toString('latin1', 0, 6);
    if (start === 'BEGIN ') return { kind: 'BEGIN', transaction: Number(message.toString('latin1', 6)) };
    if (start === 'COMMIT') return { kind: 'COMMIT' };
    if (!message.includes(': TRUNCATE:')) return other;
    const [, tables = ''] = truncated.exec(message.toString()) ?? [];
    return [...tables.matchAll(oneOfTruncated)].some(([name]) => name === table) ? unknown : other;
  };
};
