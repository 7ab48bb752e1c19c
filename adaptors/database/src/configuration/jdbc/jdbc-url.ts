import type { JdbcAddress } from './jdbc-address.js';
import { parseMysqlUrl } from './mysql-url.js';
import { parseOracleUrl } from './oracle-url.js';
import { parsePostgresqlUrl } from './postgresql-url.js';
import { parseSqlserverUrl } from './sqlserver-url.js';

type Parsed = JdbcAddress | { readonly fault: string };

const parseSqliteUrl = (rest: string): Parsed => {
  const file = rest.replace(/^file:/, '');
  if (file === '' || file.startsWith(':')) return { fault: 'names no file' };
  // SQLite would treat text after a question mark as parameters and create another, empty file
  return file.includes('?') ? { fault: 'takes no parameters for SQLite' } : { dialect: 'sqlite', file };
};

const parsers = new Map<string, (rest: string) => Parsed>([
  ['postgresql', (rest) => parsePostgresqlUrl(rest) ?? { fault: 'is not a PostgreSQL JDBC URL of one host' }],
  ['mysql', (rest) => parseMysqlUrl(rest) ?? { fault: 'is not a MySQL JDBC URL of one host with a database' }],
  ['mariadb', (rest) => parseMysqlUrl(rest) ?? { fault: 'is not a MariaDB JDBC URL of one host with a database' }],
  ['sqlserver', (rest) => parseSqlserverUrl(rest) ?? { fault: 'is not a SQL Server JDBC URL with databaseName' }],
  ['oracle', (rest) => parseOracleUrl(rest) ?? { fault: 'is not an Oracle JDBC URL of the thin driver' }],
  ['sqlite', parseSqliteUrl],
]);

/** Reads a JDBC URL, such as `jdbc:postgresql://host:port/database?...` or `jdbc:sqlite:/path/to/file`. */
export const parseJdbcUrl = (url: string): Parsed => {
  const [, subprotocol, rest] = /^jdbc:([a-z0-9]+):(.*)$/s.exec(url) ?? [];
  if (subprotocol === undefined || rest === undefined) return { fault: 'is not a JDBC URL' };
  return (
    parsers.get(subprotocol)?.(rest) ?? {
      fault: `"${subprotocol}" is not supported: ${[...parsers.keys()].join(', ')}`,
    }
  );
};
