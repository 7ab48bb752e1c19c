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
 */
export const openLazily = (open: () => PrismaClient): LazyPrisma => {
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
