import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from './generated/client.js';
import type { Queryable } from './queryable.js';

export interface PrismaConnections {
  /** Pool for transactions. It ends with the client. */
  readonly transactions: pg.PoolConfig;
  /** For statements outside of a transaction: the reads of models. The caller closes it after the client. */
  readonly statements: Queryable;
  /** Called with the pool of transactions when it is opened. */
  readonly onPool?: (pool: pg.Pool) => void;
}

type Send = (...statement: readonly unknown[]) => Promise<unknown>;

/**
 * A connection that sends a statement only after the previous one was answered. Prisma reads the relations of a model
 * at the same time, even in a transaction, which has one connection. The next version of the driver refuses that.
 */
class SerialClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const send = super.query.bind(this) as unknown as Send;
    let answered: Promise<unknown> = Promise.resolve();
    const query: Send = (...statement) => {
      const answer = answered.then(() => send(...statement));
      answered = answer.catch(() => undefined);
      return answer;
    };
    Object.defineProperty(this, 'query', { value: query });
  }
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
