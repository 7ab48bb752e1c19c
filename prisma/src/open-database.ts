import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { exactTypes } from './exact-types.js';
import { PrismaClient } from './generated/client.js';

export type Prisma = PrismaClient;
/** The client inside `prisma.$transaction(async (tx) => ...)`. */
export type PrismaTransaction = Parameters<Parameters<PrismaClient['$transaction']>[0]>[0];
export type SqlClient = pg.ClientBase;

/** The deployment's database: Prisma for ordinary work, typed SQL for hot paths, on one configuration. */
export interface Database {
  readonly url: string;
  readonly prisma: Prisma;
  readonly pool: pg.Pool;
  /**
   * Runs work in one SQL transaction: committed when it resolves, rolled back when it throws.
   * Serialization failures and deadlocks are the caller's to repeat.
   */
  transaction<T>(work: (client: SqlClient) => Promise<T>): Promise<T>;
  /** Ends both. Idempotent. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  /** Connections of the SQL pool; Prisma has as many of its own. Default 10. */
  readonly maxConnections?: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
}

/**
 * A connection that breaks is replaced at the next use, and its query fails; without listeners, on idle connections and
 * on those in a transaction, it would end the process.
 */
const openPool = (config: pg.PoolConfig): pg.Pool => {
  const pool = new pg.Pool(config);
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
};

/** Opens the database. Connects at first use; the caller closes. */
export const openDatabase = ({ url, maxConnections = 10, applicationName = 'fds' }: DatabaseOptions): Database => {
  const connection = { connectionString: url, max: maxConnections, application_name: applicationName };
  const pool = openPool({ ...connection, types: exactTypes });
  const prisma = new PrismaClient({ adapter: new PrismaPg(openPool(connection), { disposeExternalPool: true }) });
  let closing: Promise<void> | undefined;

  const transaction: Database['transaction'] = async (work) => {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((rollbackError: Error) => {
        failure = rollbackError;
      });
      throw error;
    } finally {
      client.release(failure);
    }
  };

  return {
    url,
    prisma,
    pool,
    transaction,
    close: () => (closing ??= Promise.all([pool.end(), prisma.$disconnect()]).then(() => undefined)),
  };
};
