import { decoded, isPort, type JdbcAddress, serverAddress, type Tls } from './jdbc-address.js';

const form = /^\/\/(\[[^\]]+\]|[^:/?,@()]*)(?::(\d{1,5}))?\/([^/?]+)(?:\?(.*))?$/;

/** `sslMode` of both drivers, and `useSSL` of older drivers. */
const tlsOf = (parameters: URLSearchParams): Tls => {
  const mode = (parameters.get('sslMode') ?? (parameters.get('useSSL') === 'true' ? 'trust' : 'disable')).toLowerCase();
  if (mode.startsWith('verify')) return 'verify';
  return ['trust', 'required'].includes(mode) ? 'on' : 'off';
};

/** `//host:port/database?user=&password=&sslMode=` of MySQL and MariaDB */
export const parseMysqlUrl = (text: string): JdbcAddress | undefined => {
  const match = form.exec(text);
  if (match === null) return undefined;
  const [, host = '', port, named = '', query = ''] = match;
  const database = decoded(named);
  if (database === undefined || !isPort(port)) return undefined;
  const parameters = new URLSearchParams(query);
  return serverAddress({
    dialect: 'mysql',
    host: host.replace(/^\[|\]$/g, '') || 'localhost',
    port: Number(port ?? 3306),
    database,
    tls: tlsOf(parameters),
    user: parameters.get('user'),
    password: parameters.get('password'),
  });
};
