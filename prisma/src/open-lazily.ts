import { type News, withNews } from './announcements.js';
import type { PrismaClient } from './generated/client.js';

/** A client that does not exist before it is used. */
export interface LazyPrisma {
  readonly prisma: PrismaClient;
  /** Closes the client if it was opened. Afterwards none is opened. */
  close(): Promise<void>;
}

/**
 * Opens Prisma with its first use. A client keeps a table of every argument of every model, 11 MB of memory for this
 * schema, and a start needs no model.
 *
 * @param onCommitted called with the news of each committed transaction
 */
export const openLazily = (open: () => PrismaClient, onCommitted: (news: News) => void): LazyPrisma => {
  let client: PrismaClient | undefined;
  let isClosed = false;
  const find = (): PrismaClient => {
    if (client === undefined && isClosed) throw new Error('the database is closed');
    return (client ??= open());
  };
  const prisma = new Proxy({} as PrismaClient, {
    get: (_empty, member) => {
      const opened = find();
      const value: unknown = Reflect.get(opened, member);
      if (member === '$transaction') {
        const begin = opened.$transaction.bind(opened) as (...given: readonly unknown[]) => Promise<unknown>;
        return (...given: readonly unknown[]) => withNews(() => begin(...given), onCommitted);
      }
      return typeof value === 'function' ? value.bind(opened) : value;
    },
  });
  return {
    prisma,
    close: async () => {
      isClosed = true;
      await client?.$disconnect();
    },
  };
};
