import pg from 'pg';

/** Inserts customers into a federated domain by SQL, without the service, and links each of them to all adaptors. */
export const insertLinkedRecords = async (
  databaseUrl: string,
  {
    domain,
    adaptorUuids,
    count,
  }: { readonly domain: string; readonly adaptorUuids: readonly string[]; readonly count: number },
): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key)
       SELECT gen_random_uuid(), v.uuid, sha256(convert_to(id, 'UTF8')), jsonb_build_object('id', id)
       FROM domain_version v JOIN domain d ON d.uuid = v.domain_uuid AND d.name = $1,
         generate_series(0, $2::int - 1) AS n, LATERAL (SELECT 'customer-' || lpad(n::text, 8, '0') AS id) AS named`,
      [domain, count],
    );
    await client.query(
      `INSERT INTO record_link (record_uuid, adaptor_uuid, domain_version_uuid, key_digest, dr_key, known_content)
       SELECT r.uuid, a.uuid, r.domain_version_uuid, r.key_digest, r.dr_key, '{}'
       FROM data_record r JOIN domain_version v ON v.uuid = r.domain_version_uuid
         JOIN domain d ON d.uuid = v.domain_uuid AND d.name = $1, unnest($2::uuid[]) AS a(uuid)`,
      [domain, adaptorUuids],
    );
    await client.query('VACUUM ANALYZE data_record, record_link');
  } finally {
    await client.end();
  }
};
