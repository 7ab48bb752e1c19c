import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@fds/testing';
import pg from 'pg';

/**
 * Connection URL of the PostgreSQL that a service runs in its data directory. It is read in the same way as by an
 * operator.
 */
export const embeddedDatabaseUrl = (dataDir: string, database = 'fds'): string => {
  const read = (file: string): string => readFileSync(join(dataDir, 'postgres', file), 'utf8').trim();
  return `postgresql://postgres:${encodeURIComponent(read('password'))}@127.0.0.1:${read('port')}/${database}`;
};

/** Process id of the postmaster of that PostgreSQL. */
export const postmasterPid = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]);

/** Queries that PostgreSQL as soon as it accepts connections. */
export const queryEmbeddedDatabase = <Row extends pg.QueryResultRow>(dataDir: string, sql: string): Promise<Row[]> =>
  eventually(async () => {
    const client = new pg.Client({ connectionString: embeddedDatabaseUrl(dataDir) });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  });
