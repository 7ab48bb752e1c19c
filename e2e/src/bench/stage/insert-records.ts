import pg from 'pg';

/**
 * Inserts records of the customer model into a data-store version by SQL, without the service.
 *
 * @returns ids of the customers in the order in which the service lists them
 */
export const insertRecords = async (
  databaseUrl: string,
  domainVersionUuid: string,
  count: number,
): Promise<readonly string[]> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json)
       SELECT gen_random_uuid(), $1, sha256(convert_to(id, 'UTF8')), jsonb_build_object('id', id),
              jsonb_build_object('id', id, 'lastName', 'Família', 'city', 'City', 'visits', n)
       FROM generate_series(1, $2::int) AS n, LATERAL (SELECT 'customer-' || n AS id) AS named`,
      [domainVersionUuid, count],
    );
    await client.query('VACUUM ANALYZE data_record');
    const { rows } = await client.query<[string]>({
      text: "SELECT json ->> 'id' FROM data_record WHERE domain_version_uuid = $1 ORDER BY uuid",
      values: [domainVersionUuid],
      rowMode: 'array',
    });
    return rows.map(([id]) => id);
  } finally {
    await client.end();
  }
};
