import { isPort, type JdbcAddress, serverAddress } from './jdbc-address.js';

const form = /^thin:(?:([^/@]+)\/([^@]+))?@(?:(tcps?):)?(?:\/\/)?([^:/@]+)(?::(\d{1,5}))?([/:])([^/:?]+)$/;

/** `thin:@//host:port/service`, or `thin:@host:port:sid` */
export const parseOracleUrl = (text: string): JdbcAddress | undefined => {
  const [, user, password, protocol, host, port, separator, name] = form.exec(text) ?? [];
  if (host === undefined || name === undefined || !isPort(port)) return undefined;
  return serverAddress({
    dialect: 'oracle',
    host,
    port: Number(port ?? 1521),
    database: separator === ':' ? `:${name}` : name,
    tls: protocol === 'tcps' ? 'verify' : 'off',
    user,
    password,
  });
};
