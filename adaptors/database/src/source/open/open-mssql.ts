import knex, { type Knex } from 'knex';
import type { JdbcDatabase } from '../../configuration/adaptor-metadata.js';
import type { ServerAddress } from '../../configuration/jdbc/jdbc-address.js';
import { wrapIdentifierOf } from '../identifier.js';
import { withTimeTexts } from './exact-times.js';
import { connectTimeoutMs, usualConfig } from './silent.js';

/** SQL Server. Users install the driver, `tedious`, themselves. */
export const openMssql = (address: ServerAddress, { user, password, maxConnections }: JdbcDatabase): Knex =>
  knex({
    ...usualConfig,
    client: 'mssql',
    wrapIdentifier: wrapIdentifierOf('mssql'),
    postProcessResponse: withTimeTexts,
    pool: { min: 0, max: maxConnections },
    connection: {
      server: address.host,
      port: address.port,
      database: address.database,
      userName: user ?? address.user ?? '',
      password: password ?? address.password ?? '',
      options: {
        encrypt: address.tls !== 'off',
        trustServerCertificate: address.tls === 'on',
        useUTC: true,
        connectTimeout: connectTimeoutMs,
        appName: 'fds-database-adaptor',
      },
    } as Knex.MsSqlConnectionConfig,
  });
