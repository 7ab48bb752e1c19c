import { randomUUID } from 'node:crypto';
import pg from 'pg';

const columns = {
  id: { property: 'customerId', columnType: 'LONG', type: { type: 'integer' } },
  first_name: { property: 'firstName', columnType: 'STRING', type: { type: 'string' } },
  last_name: { property: 'lastName', columnType: 'STRING', type: { type: 'string' } },
  email: { property: 'email', columnType: 'STRING', type: { type: 'string' } },
  company: { property: 'company', columnType: 'STRING', type: { type: 'string' } },
  street: { property: 'street', columnType: 'STRING', type: { type: 'string' } },
  city: { property: 'city', columnType: 'STRING', type: { type: 'string' } },
  postal_code: { property: 'postalCode', columnType: 'STRING', type: { type: 'string' } },
  born: { property: 'born', columnType: 'LOCAL_DATE', type: { type: 'string', format: 'date' } },
  credit: { property: 'credit', columnType: 'DOUBLE', type: { type: 'number' } },
} as const;

/** The query of the cursor: it reads the rows in the same order as a discovery. */
export const discoveryQuery = `SELECT ${Object.keys(columns).join(', ')}, changed FROM customer ORDER BY changed, id`;

const discoveredDomain = 'customer';

/** Model of the domain. */
const discoveredProperties = Object.fromEntries(Object.values(columns).map(({ property, type }) => [property, type]));

/** Creates the table with this number of rows of ten columns. Their modification times are in the past. */
export const fillTable = async (databaseUrl: string, rows: number): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`CREATE TABLE customer (id bigint PRIMARY KEY, first_name text, last_name text, email text, company text,
      street text, city text, postal_code text, born date, credit double precision, changed timestamptz NOT NULL)`);
    await client.query(
      `INSERT INTO customer SELECT i, 'First ' || i, 'Last ' || i, 'c' || i || '@example.org', 'Company ' || i % 1000,
         i || ' Main Street', 'City ' || i % 500, lpad((i % 99999)::text, 5, '0'), date '1950-01-01' + (i % 20000)::int,
         i * 1.25, timestamptz '2026-01-01' + i * interval '1 ms' FROM generate_series(1, $1::bigint) AS i`,
      [rows],
    );
    await client.query('CREATE INDEX ON customer (changed, id)');
    await client.query('VACUUM ANALYZE customer');
  } finally {
    await client.end();
  }
};

/** Metadata of a database adaptor that reads the table. */
export const discoveryMetadata = (
  databaseUrl: string,
  scan: { readonly method: 'LOG' | 'TIMESTAMP'; readonly intervalMs: number },
) => {
  const { host, pathname, username, password } = new URL(databaseUrl);
  return {
    databases: {
      crm: {
        type: 'JDBC',
        properties: {
          jdbcUrl: `jdbc:postgresql://${host}${pathname}`,
          'dataSource.user': username,
          'dataSource.password': decodeURIComponent(password),
        },
      },
    },
    tables: [
      {
        domain: discoveredDomain,
        version: 1,
        dataSource: { name: 'crm', schema: 'public', tableName: 'customer' },
        primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'LONG', required: true } }],
        timestampSpec: { columnName: 'changed', type: 'TIMESTAMP', precision: 'MICROSECONDS' },
        dataColumns: Object.fromEntries(
          Object.entries(columns).map(([name, { property, columnType }]) => [name, { source: property, columnType }]),
        ),
        scanMethod: scan.method,
        scanOptions: { scanIntervalMilliseconds: scan.intervalMs },
      },
    ],
  };
};

/** The domain version in the START of the server. */
export const discoveredVersion = {
  domain: discoveredDomain,
  version: 1,
  domainVersionUuid: randomUUID(),
  drKeyProperties: ['customerId'],
  modelSchema: { properties: discoveredProperties },
};
