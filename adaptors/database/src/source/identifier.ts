const parted = /[.\s[\]]/g;
const escaped = /\uE000([0-9a-f]+);/g;

/** The name of a column for the query builder, which would read a dot, the word "as" and a bracket as syntax. */
export const toIdentifier = (column: string): string =>
  column.replace(parted, (character) => `\uE000${character.charCodeAt(0).toString(16)};`);

/** Quotes a name for SQL: option `wrapIdentifier` of the query builder. @param quote its own quoting */
export const wrapIdentifier = (name: string, quote: (name: string) => string): string => {
  const column = name.replace(escaped, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return column === name ? quote(name) : `"${column.replaceAll('"', '""')}"`;
};
