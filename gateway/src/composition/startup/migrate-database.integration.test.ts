import { createEmptyDatabase, openTestDatabase } from '@fds/database/testing';
import { describe, expect, it } from '@jest/globals';
import { migrateDatabase } from './migrate-database.js';

const changed = (url: string, change: (url: URL) => void): string => {
  const copy = new URL(url);
  change(copy);
  return copy.href;
};

const faultOf = (url: string): Promise<string> =>
  migrateDatabase(url).then(
    () => 'none',
    (error: unknown) => (error as Error).message,
  );

describe('migrateDatabase', () => {
  it('names the setting and the cause, and never the password', async () => {
    const [empty, { pool, drop }] = [await createEmptyDatabase(), await openTestDatabase()];
    try {
      const { hostname, port, pathname } = new URL(empty.url);
      const host = `${hostname}:${port}`;
      const wrong = changed(empty.url, (url) => (url.password = 'hunter2'));
      expect(await faultOf(wrong)).toBe(
        `FDS_DATABASE_URL: PostgreSQL at ${host} refuses the password of the user "postgres"`,
      );
      expect(await faultOf(changed(empty.url, (url) => (url.pathname = '/absent')))).toBe(
        `FDS_DATABASE_URL: PostgreSQL at ${host} has no database "absent"`,
      );
      expect(await faultOf(changed(empty.url, (url) => (url.port = '1')))).toBe(
        `FDS_DATABASE_URL: no PostgreSQL answers at ${hostname}:1 (ECONNREFUSED)`,
      );
      await pool.query(`CREATE ROLE "may do little" LOGIN PASSWORD 'hunter2'`);
      const weak = changed(empty.url, (url) => {
        url.username = 'may do little';
        url.password = 'hunter2';
      });
      expect(await faultOf(weak)).toBe(
        `FDS_DATABASE_URL: the user "may do little" may not create tables in the database "${pathname.slice(1)}"; ` +
          'make it the owner, or GRANT CREATE ON SCHEMA public',
      );
      expect(await faultOf(empty.url)).toBe('none');
    } finally {
      await empty.drop();
      await pool.query('DROP ROLE IF EXISTS "may do little"');
      await drop();
    }
  });
});
