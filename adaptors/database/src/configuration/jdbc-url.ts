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

const postgresql = /^postgresql:\/\/(\[[^\]]+\]|[^:/?]*)(?::(\d+))?(?:\/([^?]*))?(?:\?(.*))?$/;

const tlsOf = (parameters: URLSearchParams): 'off' | 'on' | 'verify' => {
  const mode = parameters.get('sslmode') ?? (parameters.get('ssl') === 'true' ? 'verify-full' : 'disable');
  if (mode.startsWith('verify')) return 'verify';
  return mode === 'require' ? 'on' : 'off';
};

const parsePostgresql = (text: string): JdbcAddress | undefined => {
  const match = postgresql.exec(text);
  if (match === null) return undefined;
  const [, host = '', port, database = '', query = ''] = match;
  const parameters = new URLSearchParams(query);
  const user = parameters.get('user');
  const password = parameters.get('password');
  const schema = parameters.get('currentSchema');
  return {
    dialect: 'postgresql',
    host: host.replace(/^\[|\]$/g, '') || 'localhost',
    port: port === undefined ? 5432 : Number(port),
    database: decodeURIComponent(database),
    tls: tlsOf(parameters),
    ...(user === null ? {} : { user }),
    ...(password === null ? {} : { password }),
    ...(schema === null ? {} : { schema }),
  };
};

/** Reads a JDBC URL: `jdbc:postgresql://host:port/database?...` or `jdbc:sqlite:/path/to/file`. */
export const parseJdbcUrl = (url: string): JdbcAddress | { readonly fault: string } => {
  const [, subprotocol, rest] = /^jdbc:([a-z0-9]+):(.*)$/s.exec(url) ?? [];
  if (subprotocol === undefined || rest === undefined) return { fault: 'is not a JDBC URL' };
  if (subprotocol === 'postgresql')
    return parsePostgresql(`postgresql:${rest}`) ?? { fault: 'is not a PostgreSQL JDBC URL of one host' };
  if (subprotocol === 'sqlite')
    return rest === '' || rest === ':memory:' ? { fault: 'names no file' } : { dialect: 'sqlite', file: rest };
  return { fault: `"${subprotocol}" is not supported: postgresql, sqlite` };
};
