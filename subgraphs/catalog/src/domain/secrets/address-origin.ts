import { stringifyJson, type JsonValue } from '@fds/json';

/** Ports that an address without a port means, by the name of the protocol. */
const defaultPorts = new Map([
  ['postgresql', '5432'],
  ['mysql', '3306'],
  ['mariadb', '3306'],
  ['sqlserver', '1433'],
  ['oracle', '1521'],
  ['mongodb', '27017'],
]);

/** Parameters of a connection text that name a receiver, such as `serverName` of SQL Server. */
const namesReceiver = /host|server|addr|port|endpoint|proxy|url|uri|socket|target|source|partner/i;

/** Keys whose value names a receiver without being an address: `host`, `db.port`, `serverName`, `proxyHost`. */
const receiverKey =
  /(?:^|[._-])(?:hosts?|host_?[Nn]ame|servers?|server_?[Nn]ame|port|port_?[Nn]umber|endpoint|address)$|[a-z](?:Hosts?|HostName|Servers?|ServerName|Port|PortNumber|Endpoint|Address)$/;

const receiverParameters = (text: string): readonly string[] =>
  text
    .split(/[?&;]/)
    .slice(1)
    .filter((parameter) => namesReceiver.test(parameter.split('=', 1)[0] ?? ''))
    .map((parameter) => parameter.trim().toLowerCase())
    .toSorted();

const withPort = (host: string, port: string | undefined): string =>
  port === undefined || /:\d+$/.test(host) ? host : `${host}:${port}`;

/** The hosts of an authority, without user and password. */
const hostsOf = (authority: string, port: string | undefined): string =>
  authority
    .slice(authority.lastIndexOf('@') + 1)
    .toLowerCase()
    .split(',')
    .map((host) => withPort(host, port))
    .join(',');

const originOfUrl = (text: string): string | undefined => {
  if (!/^(?:https?|wss?|ftp):/i.test(text)) return undefined;
  try {
    const { protocol, host } = new URL(text);
    return `${protocol}//${host}`;
  } catch {
    return undefined;
  }
};

/** `jdbc:oracle:thin:user/password@db:1521:SID` and `...@//db:1521/service` */
const originOfOracle = (text: string): string | undefined => {
  const [, receiver] = /^jdbc:oracle:[^@]*@(.*)$/is.exec(text) ?? [];
  if (receiver === undefined) return undefined;
  const [, protocol = '', rest = ''] = /^([a-z]*:?(?=\/\/))?(?:\/\/)?(.*)$/is.exec(receiver) ?? [];
  const [authority = ''] = rest.startsWith('(') ? [rest] : rest.split(/[/?]/, 1);
  return `jdbc:oracle:${protocol.toLowerCase()}//${hostsOf(authority, /:/.test(authority) ? undefined : defaultPorts.get('oracle'))}`;
};

/**
 * The receivers that an address names: scheme, hosts and ports in one spelling. Path, database, user and password do not
 * count. Undefined for a text that is not an address.
 *
 * @param key of the member with the value
 */
export const addressOrigin = (key: string, value: JsonValue): string | undefined => {
  if (typeof value !== 'string') return receiverKey.test(key) && value !== null ? stringifyJson(value) : undefined;
  const text = value.trim();
  const known = originOfUrl(text) ?? originOfOracle(text);
  if (known !== undefined) return known;
  const [, scheme, authority] = /^([a-z][a-z0-9+.:-]*):\/\/([^/?#;\\]*)/i.exec(text) ?? [];
  if (scheme !== undefined && authority !== undefined) {
    const protocol = scheme.toLowerCase();
    const port = defaultPorts.get(protocol.replace(/^jdbc:/, ''));
    return [`${protocol}://${hostsOf(authority, port)}`, ...receiverParameters(text)].join(';');
  }
  const [, driver] = /^(jdbc:[a-z0-9]+):/i.exec(text) ?? [];
  if (driver !== undefined) return [driver.toLowerCase(), ...receiverParameters(text)].join(';');
  if (/connectionString$/i.test(key)) return receiverParameters(`;${text}`).join(';');
  return receiverKey.test(key) ? text.toLowerCase() : undefined;
};
