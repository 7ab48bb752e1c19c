// A bare Node HTTP server: `/<kind>?<parameters>` answers 20 records and the total, by one prepared statement each.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';
import { requireSetting } from '../../programs/require-setting.js';

interface HitRow {
  readonly id: string | null;
  readonly visits: string | null;
  readonly total: string;
}

const pool = new pg.Pool({ connectionString: requireSetting('DATABASE_URL'), max: 10 });

const id = 'lower(id) COLLATE "C"';
// a prefix is written as a range: for LIKE, the planner sometimes uses the trigram index, which is 40 times slower
const conditions: Readonly<Record<string, string>> = {
  exact: `${id} = lower($1)`,
  begins: `${id} >= lower($1) AND ${id} < lower($2)`,
  like: 'lower(id) LIKE lower($1)',
  range: 'visits BETWEEN $1::bigint AND $2::bigint',
  both: `${id} >= lower($1) AND ${id} < lower($2) AND visits BETWEEN $3::bigint AND $4::bigint`,
};

const search = async (kind: string, condition: string, values: readonly string[]): Promise<object> => {
  const { rows } = await pool.query<HitRow>({
    name: kind,
    text: `SELECT id, visits, count(*) OVER () AS total FROM searched_by_hand WHERE ${condition} ORDER BY id LIMIT 20`,
    values: [...values],
  });
  return {
    data: rows.map(({ id, visits }) => ({ id, visits: Number(visits) })),
    page: { totalElements: Number(rows[0]?.total ?? 0) },
  };
};

const answer = (url: URL): Promise<object> => {
  const kind = url.pathname.slice(1);
  const condition = conditions[kind];
  return condition === undefined
    ? Promise.resolve({ status: 'UP' })
    : search(kind, condition, url.searchParams.getAll('value'));
};

const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  try {
    const body = JSON.stringify(await answer(new URL(request.url ?? '/', 'http://localhost')));
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
};

createServer((request, response) => void serve(request, response)).listen(Number(requireSetting('PORT')), '127.0.0.1');
