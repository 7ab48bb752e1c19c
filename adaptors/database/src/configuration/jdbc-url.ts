/** A database as its JDBC URL names it. */
export type JdbcAddress =
  | {
      readonly dialect: 'postgresql';
      readonly host: string;
      readonly port: number;
      readonly database: string;
      readonly user?: string;
      readonly password?: string;
      readonly schema?: string;
      /** `verify`: the certificate is checked. */
      readonly tls: 'off' | 'on' | 'verify';
    }
  | { readonly dialect: 'sqlite'; readonly file: string };

// `//host:port/database`, or the database alone, which is on this host
const postgresql = /^(?:\/\/(\[[^\]]+\]|[^:/?,@]*)(?::(\d{1,5}))?(?:\/([^?]*))?|\/?([^/?]*))(?:\?(.*))?$/;

const tlsOf = (parameters: URLSearchParams): 'off' | 'on' | 'verify' => {
  const mode =
    parameters.get('sslmode') ?? (['true', ''].includes(parameters.get('ssl') ?? 'false') ? 'verify-full' : 'disable');
  if (mode.startsWith('verify')) return 'verify';
  return mode === 'require' ? 'on' : 'off';
};

const parsePostgresql = (text: string): JdbcAddress | undefined => {
  const match = postgresql.exec(text);
  if (match === null) return undefined;
  const [, host = '', port, named = '', alone = '', query = ''] = match;
  const database = decoded(named === '' ? alone : named);
  if (database === undefined || Number(port ?? 5432) > 65_535) return undefined;
  const parameters = new URLSearchParams(query);
  const user = parameters.get('user');
  const password = parameters.get('password');
  const schema = parameters.get('currentSchema');
  return {
    dialect: 'postgresql',
    host: host.replace(/^\[|\]$/g, '') || 'localhost',
    port: port === undefined ? 5432 : Number(port),
    database,
    tls: tlsOf(parameters),
    ...(user === null ? {} : { user }),
    ...(password === null ? {} : { password }),
    ...(schema === null ? {} : { schema }),
  };
};

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

const parseSqlite = (rest: string): JdbcAddress | { readonly fault: string } => {
  const file = rest.replace(/^file:/, '');
  if (file === '' || file.startsWith(':')) return { fault: 'names no file' };
  // in such a URL they begin parameters: another, empty file would be made
  return file.includes('?') ? { fault: 'takes no parameters for SQLite' } : { dialect: 'sqlite', file };
};

/** Reads a JDBC URL: `jdbc:postgresql://host:port/database?...` or `jdbc:sqlite:/path/to/file`. */
export const parseJdbcUrl = (url: string): JdbcAddress | { readonly fault: string } => {
  const [, subprotocol, rest] = /^jdbc:([a-z0-9]+):(.*)$/s.exec(url) ?? [];
  if (subprotocol === undefined || rest === undefined) return { fault: 'is not a JDBC URL' };
  if (subprotocol === 'postgresql')
    return parsePostgresql(rest) ?? { fault: 'is not a PostgreSQL JDBC URL of one host' };
  if (subprotocol === 'sqlite') return parseSqlite(rest);
  return { fault: `"${subprotocol}" is not supported: postgresql, sqlite` };
};
