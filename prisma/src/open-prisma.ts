import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from './generated/client.js';
import type { Queryable } from './queryable.js';

export interface PrismaConnections {
  /** For transactions. Its end is that of the client. */
  readonly transactions: pg.PoolConfig;
  /** For statements outside of a transaction: the reads of models. The caller closes it after the client. */
  readonly statements: Queryable;
}

type Send = (...statement: readonly unknown[]) => Promise<unknown>;

/**
 * A connection that sends a statement when the one before is answered. Prisma reads the relations of a model at the same
 * time, in a transaction too, which has one connection; the next version of the driver refuses that.
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
 * A pool whose own statements run elsewhere. Prisma's adapter sends statements outside of a transaction to the pool, and
 * takes a connection of it for a transaction.
 */
class TransactionPool extends pg.Pool {
  constructor(config: pg.PoolConfig, statements: Queryable) {
    super({ ...config, Client: SerialClient });
    const query = (statement: pg.QueryConfig) => statements.query(statement);
    Object.defineProperty(this, 'query', { value: query });
  }
}

/** Prisma whose reads are sent through `statements`, with the bounds that those have. */
export const openPrisma = ({ transactions, statements }: PrismaConnections): PrismaClient => {
  const pool = new TransactionPool(transactions, statements);
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: true }) });
};
