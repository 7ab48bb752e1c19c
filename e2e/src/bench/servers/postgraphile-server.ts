// PostGraphile on the plain table, without authentication: `/graphql`.
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { requireSetting } from '../../programs/require-setting.js';
import { plainSchema } from '../stage/insert-plain-customers.js';

interface Postgraphile {
  readonly postgraphile: (preset: object) => {
    createServ(server: unknown): { addTo(server: Server): Promise<unknown> };
  };
}

const { resolve } = createRequire(join(requireSetting('POSTGRAPHILE_FOLDER'), 'package.json'));
const load = async <Module>(name: string): Promise<Module> =>
  (await import(pathToFileURL(resolve(name)).href)) as Module;

const { postgraphile } = await load<Postgraphile>('postgraphile');
const { PostGraphileAmberPreset } = await load<{ PostGraphileAmberPreset: object }>('postgraphile/presets/amber');
const { makePgService } = await load<{ makePgService: (options: object) => object }>('postgraphile/adaptors/pg');
const { grafserv } = await load<{ grafserv: unknown }>('postgraphile/grafserv/node');

const pool = new pg.Pool({ connectionString: requireSetting('DATABASE_URL'), max: 10 });
const server = createServer();
await postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ pool, schemas: [plainSchema] })],
  grafserv: { graphiql: false },
})
  .createServ(grafserv)
  .addTo(server);
server.listen(Number(requireSetting('PORT')), '127.0.0.1');
