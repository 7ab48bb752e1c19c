import { z } from 'zod';
import type { ServerAddress } from './jdbc/jdbc-address.js';
import { parsePostgresqlUrl } from './jdbc/postgresql-url.js';

/** A database that keeps the state of tables. */
export type StateAddress =
  | {
      readonly kind: 'MONGODB';
      readonly connectionString: string;
      readonly databaseName: string;
      readonly user: string | undefined;
      readonly password: string | undefined;
    }
  | {
      readonly kind: 'POSTGRESQL';
      readonly address: ServerAddress;
      readonly user: string | undefined;
      readonly password: string | undefined;
      readonly maxConnections: number;
    };

const mongodbForm = /^mongodb(?:\+srv)?:\/\/[^/?]+(?:\/([^/?]*))?(?:\?.*)?$/;
const postgresqlForm = /^postgres(?:ql)?:\/\//;

/** Used when neither the connection string nor the table names a database. */
const defaultDatabaseName = 'fds_adaptor';
const maxConnections = 4;

const decoded = (text: string): string | undefined => (text === '' ? undefined : decodeURIComponent(text));

const postgresqlOf = (connectionString: string): StateAddress | undefined => {
  if (!postgresqlForm.test(connectionString) || !URL.canParse(connectionString)) return undefined;
  const url = new URL(connectionString);
  const address = parsePostgresqlUrl(`//${url.host}${url.pathname}${url.search}`);
  if (address === undefined || address.dialect === 'sqlite') return undefined;
  return {
    kind: 'POSTGRESQL',
    address,
    user: decoded(url.username),
    password: decoded(url.password),
    maxConnections,
  };
};

const mongodbOf = (connectionString: string): StateAddress | undefined => {
  const match = mongodbForm.exec(connectionString);
  if (match === null) return undefined;
  const databaseName = match[1] || defaultDatabaseName;
  return { kind: 'MONGODB', connectionString, databaseName, user: undefined, password: undefined };
};

/**
 * `DOCUMENT_STORE` of the metadata (docs/adaptors/adaptor-programs.md#database-adaptor). User and password can be
 * separate properties, because they are secrets.
 */
export const documentStoreProperties = z
  .strictObject({
    connectionString: z.string(),
    'dataSource.user': z.string().optional(),
    'dataSource.password': z.string().optional(),
  })
  .transform((properties, context): StateAddress => {
    const { connectionString } = properties;
    const address = mongodbOf(connectionString) ?? postgresqlOf(connectionString);
    if (address === undefined) {
      const message = 'must be like mongodb://host:27017/database or postgresql://host:5432/database';
      context.addIssue({ code: 'custom', path: ['connectionString'], message });
      return z.NEVER;
    }
    return {
      ...address,
      user: properties['dataSource.user'] ?? address.user,
      password: properties['dataSource.password'] ?? address.password,
    };
  });
