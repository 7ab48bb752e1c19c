import type { Database } from '@fds/database';

/**
 * Runs work in one transaction: what it begins on the database that it is given are parts of that transaction, and one
 * that fails takes back only itself. One part at a time.
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
