import knex, { type Knex } from 'knex';
import type { JdbcDatabase } from '../../configuration/adaptor-metadata.js';
import type { ServerAddress } from '../../configuration/jdbc/jdbc-address.js';
import { wrapIdentifierOf } from '../identifier.js';
import { usualConfig } from './silent.js';

interface OracleConnection {
  execute(sql: string, done: (error: Error | null) => void): void;
}

/** Times are texts in UTC, in the format that all other code reads. */
const session = `ALTER SESSION SET TIME_ZONE = 'UTC' NLS_NUMERIC_CHARACTERS = '.,' NLS_DATE_FORMAT = 'YYYY-MM-DD HH24:MI:SS'
  NLS_TIMESTAMP_FORMAT = 'YYYY-MM-DD HH24:MI:SS.FF6' NLS_TIMESTAMP_TZ_FORMAT = 'YYYY-MM-DD HH24:MI:SS.FF6 TZH:TZM'`;

const connectString = ({ host, port, database, tls }: ServerAddress): string => {
  const target = database.startsWith(':') ? `(SID=${database.slice(1)})` : `(SERVICE_NAME=${database})`;
  const protocol = tls === 'off' ? 'TCP' : 'TCPS';
  return `(DESCRIPTION=(ADDRESS=(PROTOCOL=${protocol})(HOST=${host})(PORT=${port}))(CONNECT_DATA=${target}))`;
};

/** Oracle. Users install the driver, `oracledb`, themselves. */
export const openOracle = (address: ServerAddress, { user, password, maxConnections }: JdbcDatabase): Knex =>
  knex({
    ...usualConfig,
    client: 'oracledb',
    wrapIdentifier: wrapIdentifierOf('oracle'),
    fetchAsString: ['number', 'clob', 'date'],
    pool: {
      min: 0,
      max: maxConnections,
      afterCreate: (connection: OracleConnection, done: (error?: Error | null) => void) =>
        connection.execute(session, (error) => done(error)),
    },
    connection: {
      user: user ?? address.user,
      password: password ?? address.password,
      connectString: connectString(address),
    } as Knex.OracleDbConnectionConfig,
  });
