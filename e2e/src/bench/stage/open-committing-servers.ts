import { applyMigrations, logChanges, openDatabase, type Change, type Database } from '@fds/database';
import type { Leftovers } from '../../harness/leftovers.js';
import { startSourceDatabase } from './start-source-database.js';

/** Servers that commit entries of the change log on one database. Each listens for the entries of all. */
export interface CommittingServers {
  /** Each client commits entries one after the other. Resolves with their number. */
  commit(news: 'WITH_NEWS' | 'ALONE'): Promise<number>;
  /** The number of times when a server was woken. */
  readonly heard: number;
}

const change: Change = { action: 'PUT', resourceType: 'Dr', resource: '/drs/bench', data: { of: 'row 25' } };

/** Commits an entry of the change log, which notifies the readers of all servers. */
const commitWithNews = (database: Database): Promise<void> =>
  database.transaction((client) => logChanges(client, [change]));

/** The same statements on a connection of the same pool. No news is noted outside of `transaction`. */
const commitAlone = async (database: Database): Promise<void> => {
  const client = await database.pool.connect();
  try {
    await client.query('BEGIN');
    await logChanges(client, [change]);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
};

export const openCommittingServers = async (
  leftovers: Leftovers,
  size: { readonly servers: number; readonly clients: number; readonly commits: number },
  signal: AbortSignal,
): Promise<CommittingServers> => {
  const url = await startSourceDatabase(leftovers);
  await applyMigrations(url);
  const databases = Array.from({ length: size.servers }, () => openDatabase({ url, maxConnections: size.clients }));
  let heard = 0;
  for (const database of databases) {
    leftovers.add(() => database.close());
    const onWake = (): void => {
      heard += 1;
    };
    leftovers.add(await database.notifications.listen({ channel: 'fds_change_log', onWake }));
  }
  return {
    get heard() {
      return heard;
    },
    commit: async (news) => {
      const client = async (database: Database): Promise<void> => {
        for (let n = 0; n < size.commits; n += 1) {
          signal.throwIfAborted();
          await (news === 'ALONE' ? commitAlone : commitWithNews)(database);
        }
      };
      await Promise.all(databases.flatMap((database) => Array.from({ length: size.clients }, () => client(database))));
      return size.servers * size.clients * size.commits;
    },
  };
};
