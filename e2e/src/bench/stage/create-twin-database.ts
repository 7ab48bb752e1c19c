import { applyMigrations } from '@fds/database';
import pg from 'pg';

/**
 * Creates another database with the service's tables on the same PostgreSQL. It is removed with that server. @returns
 * its URL
 */
export const createTwinDatabase = async (databaseUrl: string): Promise<string> => {
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  try {
    await admin.query('CREATE DATABASE twin');
  } finally {
    await admin.end();
  }
  const url = new URL(databaseUrl);
  url.pathname = '/twin';
  await applyMigrations(url.href);
  return url.href;
};
