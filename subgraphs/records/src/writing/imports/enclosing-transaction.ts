import type { Database } from '@fds/database';

/**
 * Runs work in one transaction: transactions that it begins on the given database are savepoints, and a failing one rolls
 * back only itself. One part at a time.
 */
export const openEnclosingTransaction = <T>(database: Database, work: (within: Database) => Promise<T>): Promise<T> =>
  database.transaction((client) =>
    work({
      ...database,
      transaction: async (part) => {
        await client.query('SAVEPOINT part');
        try {
          const result = await part(client);
          await client.query('RELEASE SAVEPOINT part');
          return result;
        } catch (error) {
          await client.query('ROLLBACK TO SAVEPOINT part');
          await client.query('RELEASE SAVEPOINT part');
          throw error;
        }
      },
    }),
  );
