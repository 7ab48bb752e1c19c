import pg from 'pg';

/** Name of the schema that holds the plain table. */
export const plainSchema = 'by_hand';

/** Inserts the same records into a plain table, with a column for each property and the indexes for its pages. */
export const insertPlainCustomers = async (databaseUrl: string, domainVersionUuid: string): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `CREATE SCHEMA ${plainSchema};
       CREATE TABLE ${plainSchema}.customer (
         uuid uuid PRIMARY KEY, id text NOT NULL UNIQUE, first_name text, last_name text, company text, address text,
         city text, email text, balance float8, visits int, active boolean)`,
    );
    await client.query(
      `INSERT INTO ${plainSchema}.customer
       SELECT uuid, json ->> 'id', json ->> 'firstName', json ->> 'lastName', json ->> 'company', json ->> 'address',
              json ->> 'city', json ->> 'email', (json ->> 'balance')::float8, (json ->> 'visits')::int,
              (json ->> 'active')::boolean
       FROM data_record WHERE domain_version_uuid = $1`,
      [domainVersionUuid],
    );
    await client.query(`VACUUM ANALYZE ${plainSchema}.customer`);
  } finally {
    await client.end();
  }
};
