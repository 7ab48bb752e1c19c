import type { TableMetadata } from '../configuration/table-metadata.js';
import type { Dialect } from './dialect.js';

const parted = /[.\s[\]*?:\\`"]/g;
const escaped = /\uE000([0-9a-f]+);/g;

/**
 * Escapes the name of a table or column for the query builder, which would treat a dot, the word "as" and a bracket as
 * syntax.
 */
export const toIdentifier = (name: string): string =>
  name.replace(parted, (character) => `\uE000${character.charCodeAt(0).toString(16)};`);

const quoters: Readonly<Record<Dialect, (name: string) => string>> = {
  postgresql: (name) => `"${name.replaceAll('"', '""')}"`,
  sqlite: (name) => `"${name.replaceAll('"', '""')}"`,
  // the metadata refuses a quotation mark; doubled, it makes the statement fail
  oracle: (name) => `"${name.replaceAll('"', '""')}"`,
  mysql: (name) => `\`${name.replaceAll('`', '``')}\``,
  mssql: (name) => `[${name.replaceAll(']', ']]')}]`,
};

/** The name of a table as `to_regclass` of PostgreSQL reads it. */
export const regclassName = ({ schema, tableName }: TableMetadata['dataSource']): string =>
  [schema, tableName].flatMap((name) => (name === undefined ? [] : [quoters.postgresql(name)])).join('.');

/** Databases whose query builders undo an escaped question mark. Without the escape it would be a parameter. */
const escapesQuestionMarks: ReadonlySet<Dialect> = new Set(['postgresql', 'mssql']);

/** Quotes a name for SQL: option `wrapIdentifier` of the query builder. */
export const wrapIdentifierOf =
  (dialect: Dialect) =>
  (name: string): string => {
    if (name === '*') return name;
    const plain = name.replace(escaped, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
    const quoted = quoters[dialect](plain);
    return escapesQuestionMarks.has(dialect) ? quoted.replaceAll('?', String.raw`\?`) : quoted;
  };
