// PostGraphile on the plain table, without authentication: `/graphql`.
import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';
import { requireSetting } from '../../programs/require-setting.js';
import { plainSchema } from '../stage/insert-plain-customers.js';

type Postgraphile = (pool: pg.Pool, schema: string, options: object) => RequestListener;

const module = join(requireSetting('POSTGRAPHILE_FOLDER'), 'node_modules', 'postgraphile');
const { postgraphile } = createRequire(import.meta.url)(module) as { readonly postgraphile: Postgraphile };
const pool = new pg.Pool({ connectionString: requireSetting('DATABASE_URL'), max: 10 });

createServer(postgraphile(pool, plainSchema, { disableQueryLog: true, graphiql: false })).listen(
  Number(requireSetting('PORT')),
  '127.0.0.1',
);
