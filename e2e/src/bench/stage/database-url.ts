import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Connection URL of the PostgreSQL that a service runs in its data directory, as an operator would find it. */
export const embeddedDatabaseUrl = (dataDir: string, database = 'fds'): string => {
  const read = (file: string): string => readFileSync(join(dataDir, 'postgres', file), 'utf8').trim();
  return `postgresql://postgres:${encodeURIComponent(read('password'))}@127.0.0.1:${read('port')}/${database}`;
};
