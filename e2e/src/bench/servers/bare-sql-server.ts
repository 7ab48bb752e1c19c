// A bare Node HTTP server: `/page?page=<n>` lists 20 records, `/records/<uuid>` reads one, each by one statement.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';
import { requireSetting } from '../../programs/require-setting.js';

interface RecordRow {
  readonly uuid: string;
  readonly json: unknown;
}

const domainVersionUuid = requireSetting('DOMAIN_VERSION_UUID');
const pool = new pg.Pool({ connectionString: requireSetting('DATABASE_URL'), max: 10 });

const listPage = async (page: number): Promise<object> => {
  const { rows } = await pool.query<RecordRow>({
    name: 'page',
    text: 'SELECT json FROM data_record WHERE domain_version_uuid = $1 ORDER BY uuid LIMIT 20 OFFSET $2',
    values: [domainVersionUuid, page * 20],
  });
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
  const page = /^page\?page=(\d+)$/.exec(collection)?.[1];
  return page === undefined ? Promise.resolve({ status: 'UP' }) : listPage(Number(page));
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
