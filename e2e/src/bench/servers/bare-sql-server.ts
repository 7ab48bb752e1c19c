// A bare Node HTTP server. `/unsorted?page=<n>` lists 20 records, `/sorted?page=<n>` lists 20 records by id, and
// `/records/<uuid>` reads one record. Each uses one statement.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';
import { requireSetting } from '../../programs/require-setting.js';

interface RecordRow {
  readonly uuid: string;
  readonly json: unknown;
}

const domainVersionUuid = requireSetting('DOMAIN_VERSION_UUID');
const pool = new pg.Pool({ connectionString: requireSetting('DATABASE_URL'), max: 10 });

// the expression of the index that the service created for the version; only sorted pages need it
const sortExpression = process.env['SORT_EXPRESSION'] ?? 'uuid';
const statements: Readonly<Record<string, string>> = {
  unsorted: 'SELECT json FROM data_record WHERE domain_version_uuid = $1 ORDER BY uuid LIMIT 20 OFFSET $2',
  sorted: `SELECT json FROM (
             SELECT json FROM data_record WHERE domain_version_uuid = '${domainVersionUuid}' AND $1::text IS NOT NULL
             ORDER BY ${sortExpression} NULLS FIRST, uuid LIMIT 1000
           ) AS reached LIMIT 20 OFFSET $2`,
};

const listPage = async (order: string, text: string, page: number): Promise<object> => {
  const { rows } = await pool.query<RecordRow>({ name: order, text, values: [domainVersionUuid, page * 20] });
  return { data: rows.map(({ json }) => json) };
};

const readRecord = async (uuid: string): Promise<object> => {
  const { rows } = await pool.query<RecordRow>({
    name: 'record',
    text: `SELECT uuid, domain_version_uuid AS "domainVersionUuid", created_by_uuid AS "createdByUuid",
                  (extract(epoch FROM date_created) * 1000)::float8 AS "dateCreated", dr_key AS "drKey", json
           FROM data_record WHERE uuid = $1`,
    values: [uuid],
  });
  return rows[0] ?? {};
};

const answer = (path: string): Promise<object> => {
  const [, collection = '', uuid = ''] = path.split('/');
  if (collection === 'records') return readRecord(uuid);
  const [, order = '', page] = /^(\w+)\?page=(\d+)$/.exec(collection) ?? [];
  const statement = statements[order];
  return statement === undefined ? Promise.resolve({ status: 'UP' }) : listPage(order, statement, Number(page));
};

const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  try {
    const body = JSON.stringify(await answer(request.url ?? ''));
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
};

createServer((request, response) => void serve(request, response)).listen(Number(requireSetting('PORT')), '127.0.0.1');
