import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from './generated/client.js';
import { joinedScope } from './joined-work.js';
import type { Queryable } from './queryable.js';
import { SerialClient } from './serial-client.js';

export interface PrismaConnections {
  /** Pool for transactions. It ends with the client. */
  readonly transactions: pg.PoolConfig;
  /** For statements outside of a transaction: the reads of models. The caller closes it after the client. */
  readonly statements: Queryable;
  /** Called with the pool of transactions when it is opened. */
  readonly onPool?: (pool: pg.Pool) => void;
}

/**
 * A pool that sends its own statements to another session. Prisma's adapter sends statements outside of a transaction
 * to the pool, and takes a connection from it for a transaction.
 */
class TransactionPool extends pg.Pool {
  constructor(config: pg.PoolConfig, statements: Queryable) {
    super({ ...config, Client: SerialClient });
    const query = (statement: pg.QueryConfig) => statements.query(statement);
    Object.defineProperty(this, 'query', { value: query });
  }
}

/** Opens Prisma. Its reads are sent through `statements` and have the limits of that session. */
export const openPrisma = ({ transactions, statements, onPool }: PrismaConnections): PrismaClient => {
  const pool = new TransactionPool(transactions, statements);
  onPool?.(pool);
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: true }) });
};

/** A pool whose only connection is the one of the joined work that runs. */
class JoinedPool extends pg.Pool {
  constructor(config: pg.PoolConfig) {
    super(config);
    const scope = () => {
      const found = joinedScope();
      if (found === undefined) throw new Error('no joined work runs');
      return found;
    };
    Object.defineProperty(this, 'query', { value: (statement: pg.QueryConfig) => scope().client.query(statement) });
    Object.defineProperty(this, 'connect', { value: () => scope().connect() });
  }
}

/** Opens Prisma for joined work: its reads and transactions are part of the joined transaction. */
export const openJoinedPrisma = (config: pg.PoolConfig): PrismaClient =>
  new PrismaClient({ adapter: new PrismaPg(new JoinedPool(config), { disposeExternalPool: true }) });
