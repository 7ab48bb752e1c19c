import type { Database } from '@fds/database';
import { guarded, requirePage, toPaged } from '@fds/graphql';
import { listProcesses } from '../store/processes/process-rows.js';

interface PageArguments {
  readonly page?: number | null;
  readonly size?: number | null;
}

/** Resolvers for the processes of the server. */
export const processResolvers = ({ pool }: Database) => ({
  Query: {
    processes: guarded<PageArguments>({ mode: 'require', action: 'GET', resource: '/processes' }, async (args) => {
      const asked = requirePage(args);
      const all = await listProcesses(pool);
      const start = asked.page * asked.size;
      return toPaged(all.slice(start, start + asked.size), asked, all.length);
    }),
  },
});
