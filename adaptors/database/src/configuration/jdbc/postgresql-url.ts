import { decoded, isPort, type JdbcAddress, serverAddress, type Tls } from './jdbc-address.js';

// `//host:port/database`, or only the database, which is then on this host
const form = /^(?:\/\/(\[[^\]]+\]|[^:/?,@]*)(?::(\d{1,5}))?(?:\/([^?]*))?|\/?([^/?]*))(?:\?(.*))?$/;

const tlsOf = (parameters: URLSearchParams): Tls => {
  const mode =
    parameters.get('sslmode') ?? (['true', ''].includes(parameters.get('ssl') ?? 'false') ? 'verify-full' : 'disable');
  if (mode.startsWith('verify')) return 'verify';
  return mode === 'require' ? 'on' : 'off';
};

/** `//host:port/database?user=&password=&currentSchema=&sslmode=` */
export const parsePostgresqlUrl = (text: string): JdbcAddress | undefined => {
  const match = form.exec(text);
  if (match === null) return undefined;
  const [, host = '', port, named = '', alone = '', query = ''] = match;
  const database = decoded(named === '' ? alone : named);
  if (database === undefined || !isPort(port)) return undefined;
  const parameters = new URLSearchParams(query);
  return serverAddress({
    dialect: 'postgresql',
    host: host.replace(/^\[|\]$/g, '') || 'localhost',
    port: Number(port ?? 5432),
    database,
    tls: tlsOf(parameters),
    user: parameters.get('user'),
    password: parameters.get('password'),
    schema: parameters.get('currentSchema'),
  });
};
