// Writes the rows of the table of discovered-table.ts in transactions of 100 rows, one prepared statement each: new rows, then a change
// of three columns of each. Prints rows and milliseconds of both.
import pg from 'pg';
import { requireSetting } from '../../programs/require-setting.js';

const rows = Number(requireSetting('ROWS'));
const batch = 100;

const client = new pg.Client({ connectionString: requireSetting('DATABASE_URL') });
await client.connect();

const numbers = (from: number): readonly number[] => Array.from({ length: batch }, (_, index) => from + index);
const textsOf = (from: number, text: (n: number) => string): readonly string[] => numbers(from).map(text);

const newRows = {
  name: 'new',
  text: `INSERT INTO customer SELECT *, clock_timestamp() FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[],
    $6::text[], $7::text[], $8::text[], $9::date[], $10::float8[])`,
  values: (from: number): (readonly string[])[] => [
    textsOf(from, String),
    textsOf(from, (n) => `First ${n}`),
    textsOf(from, (n) => `Last ${n}`),
    textsOf(from, (n) => `c${n}@example.org`),
    textsOf(from, () => 'Company'),
    textsOf(from, (n) => `${n} Main Street`),
    textsOf(from, () => 'City'),
    textsOf(from, () => '00001'),
    textsOf(from, () => '1950-01-01'),
    textsOf(from, () => '1.25'),
  ],
};
const changes = {
  name: 'change',
  text: `UPDATE customer AS t SET last_name = v.last_name, city = v.city, credit = v.credit, changed = clock_timestamp()
    FROM unnest($1::bigint[], $2::text[], $3::text[], $4::float8[]) AS v (id, last_name, city, credit) WHERE t.id = v.id`,
  values: (from: number): (readonly string[])[] => [
    textsOf(from, String),
    textsOf(from, (n) => `Changed ${n}`),
    textsOf(from, () => 'Other city'),
    textsOf(from, () => '2.5'),
  ],
};

const measure = async ({ name, text, values }: typeof newRows): Promise<number> => {
  const startedMs = performance.now();
  for (let from = 1; from <= rows; from += batch) {
    await client.query('BEGIN');
    const { rowCount } = await client.query({ name, text, values: [...values(from)] });
    if (rowCount !== batch) throw new Error(`${rowCount} rows were written`);
    await client.query('COMMIT');
  }
  return performance.now() - startedMs;
};

const newMs = await measure(newRows);
const changeMs = await measure(changes);
console.log(JSON.stringify({ rows, newMs, changeMs }));
await client.end();
