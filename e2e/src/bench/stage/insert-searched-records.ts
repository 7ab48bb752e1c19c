import pg from 'pg';

/** A record of the searches. */
export interface SearchedRecord {
  readonly id: string;
  readonly visits: number;
}

/** The n-th record; the statement below writes the same. */
export const searchedRecord = (n: number): SearchedRecord => ({
  id: `customer-${String(n).padStart(8, '0')}`,
  visits: (n * 7919) % 100_000,
});

const recordsPerStatement = 500_000;

/** Inserts records into a data-store version by SQL, without the service. */
export const insertNumberedRecords = async (
  databaseUrl: string,
  domainVersionUuid: string,
  count: number,
): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`SET synchronous_commit = off; SET maintenance_work_mem = '256MB'`);
    for (let from = 1; from <= count; from += recordsPerStatement) {
      const to = Math.min(count, from + recordsPerStatement - 1);
      await client.query(
        `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json)
         SELECT uuidv7(), $1, sha256(convert_to(n::text, 'UTF8')), json, json
         FROM generate_series($2::bigint, $3::bigint) AS n,
           LATERAL (SELECT jsonb_build_object('id', 'customer-' || lpad(n::text, 8, '0'),
                                              'visits', n * 7919 % 100000) AS json) AS made`,
        [domainVersionUuid, from, to],
      );
    }
    await client.query('VACUUM ANALYZE data_record');
  } finally {
    await client.end();
  }
};

/**
 * Inserts records into a data-store version by SQL, without the service, and the same records into the table
 * `searched_by_hand`. That table has the indexes that an expert would create for these searches.
 */
export const insertSearchedRecords = async (
  databaseUrl: string,
  domainVersionUuid: string,
  count: number,
): Promise<void> => {
  await insertNumberedRecords(databaseUrl, domainVersionUuid, count);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`SET synchronous_commit = off; SET maintenance_work_mem = '256MB'`);
    await client.query(
      `CREATE EXTENSION IF NOT EXISTS pg_trgm;
       CREATE TABLE searched_by_hand AS
         SELECT json ->> 'id' AS id, (json ->> 'visits')::bigint AS visits FROM data_record;
       CREATE INDEX ON searched_by_hand ((lower(id) COLLATE "C"));
       CREATE INDEX ON searched_by_hand USING gin (lower(id) gin_trgm_ops);
       CREATE INDEX ON searched_by_hand (visits);`,
    );
    await client.query('VACUUM ANALYZE searched_by_hand');
  } finally {
    await client.end();
  }
};

/** @throws Error until the service has created and completed this number of search indexes */
export const requireSearchIndexes = async (databaseUrl: string, count: number): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly made: number }>(
      `SELECT count(*)::int AS made FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE i.indisvalid AND starts_with(c.relname, 'search_of_')`,
    );
    const made = rows[0]?.made ?? 0;
    if (made < count) throw new Error(`the service has made ${made} of ${count} search indexes`);
  } finally {
    await client.end();
  }
};

/**
 * The first expression of the only search index of the service. A comparator that sorts by it uses the same index.
 *
 * @throws Error without an index, or with several
 */
export const loadSortExpression = async (databaseUrl: string): Promise<string> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly expression: string }>(
      `SELECT pg_get_indexdef(i.indexrelid, 1, true) AS expression
       FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE i.indisvalid AND starts_with(c.relname, 'search_of_')`,
    );
    const [first, second] = rows;
    if (first === undefined || second !== undefined) throw new Error(`${rows.length} search indexes, expected one`);
    return first.expression;
  } finally {
    await client.end();
  }
};
