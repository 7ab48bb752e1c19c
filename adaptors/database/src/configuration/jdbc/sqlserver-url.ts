import { isPort, type JdbcAddress, serverAddress, type Tls } from './jdbc-address.js';

const form = /^\/\/([^:;\\/]+)(?::(\d{1,5}))?(?:;(.*))?$/s;
const property = /([^=;]+)=(?:\{((?:[^}]|\}\})*)\}|([^;]*))(?:;|$)/gs;

const propertiesOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(property)].map(([, name = '', braced, plain]) => [
      name.trim().toLowerCase(),
      braced?.replaceAll('}}', '}') ?? plain ?? '',
    ]),
  );

const tlsOf = (properties: ReadonlyMap<string, string>): Tls => {
  if (properties.get('encrypt') === 'false') return 'off';
  return properties.get('trustservercertificate') === 'true' ? 'on' : 'verify';
};

/** `//host:port;databaseName=...;user=...;password=...;encrypt=...;trustServerCertificate=...` */
export const parseSqlserverUrl = (text: string): JdbcAddress | undefined => {
  const [, host, port, rest = ''] = form.exec(text) ?? [];
  const properties = propertiesOf(rest);
  const database = properties.get('databasename') ?? properties.get('database');
  if (host === undefined || database === undefined || database === '' || !isPort(port)) return undefined;
  return serverAddress({
    dialect: 'mssql',
    host,
    port: Number(port ?? 1433),
    database,
    tls: tlsOf(properties),
    user: properties.get('user'),
    password: properties.get('password'),
  });
};
