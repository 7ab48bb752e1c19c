// Reads a table once through a cursor, 1000 rows at a time, every value as text; prints rows and milliseconds.
import pg from 'pg';
import { requireSetting } from '../../programs/require-setting.js';

const client = new pg.Client({
  connectionString: requireSetting('DATABASE_URL'),
  types: { getTypeParser: () => (text: string) => text },
});
await client.connect();
const startedMs = performance.now();
await client.query('BEGIN');
await client.query(`DECLARE rows CURSOR FOR ${requireSetting('QUERY')}`);
let rows = 0;
for (;;) {
  const { rowCount } = await client.query('FETCH 1000 FROM rows');
  rows += rowCount ?? 0;
  if (rowCount !== 1000) break;
}
await client.query('COMMIT');
console.log(JSON.stringify({ rows, milliseconds: performance.now() - startedMs }));
await client.end();
