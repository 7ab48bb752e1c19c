import type { LoggedTable } from './logged-table.js';

/** Comments before a statement. MariaDB executes `/*!` and `/*M!`, so they stay. */
const leadingComments = /^(?:\s+|\/\*(?!M?!)[\s\S]*?\*\/|--\s[^\n]*(?:\n|$)|#[^\n]*(?:\n|$))+/;

/**
 * Statements that control transactions; the rows of a transaction are separate events. XA COMMIT is not in this list:
 * it makes the rows of a prepared transaction visible.
 */
const transactionControl =
  /^(?:BEGIN|START\s+TRANSACTION|COMMIT|ROLLBACK|SAVEPOINT|RELEASE\s+SAVEPOINT|XA\s+(?:START|BEGIN|END|PREPARE|ROLLBACK))\b/i;

/** Statements that only change rows of the tables that they name. */
const definition = /^(?:CREATE|ALTER|DROP|RENAME|TRUNCATE|GRANT|REVOKE|ANALYZE|OPTIMIZE|REPAIR|FLUSH)\b/i;
const dropsSchema = /^DROP\s+(?:DATABASE|SCHEMA)\b/i;

/** Other names depend on the character set of the session that wrote the statement. */
const isPlain = /^[\w$ .-]+$/;

const names = (statement: string, name: string): boolean =>
  !isPlain.test(name) ||
  new RegExp(String.raw`(?<![\w$])${name.replaceAll(/[$.]/g, String.raw`\$&`)}(?![\w$])`, 'i').test(statement);

/**
 * Can a statement in the log change rows of the table without row events? A session can log statements even if the
 * server logs rows. Such a statement can change any table through a trigger or a function.
 */
export const mayChangeRows = (query: string, { schema, name }: LoggedTable): boolean => {
  const statement = query.replace(leadingComments, '');
  if (transactionControl.test(statement)) return false;
  if (dropsSchema.test(statement)) return names(statement, schema);
  return definition.test(statement) ? names(statement, name) : true;
};
