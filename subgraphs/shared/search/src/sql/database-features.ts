/** Features of the connected database beyond PostgreSQL's core. */
export interface DatabaseFeatures {
  /** pg_trgm: indexes for wildcards, fuzzy terms and regular expressions. Without it they read all records of the version. */
  readonly trigrams: boolean;
  /** fuzzystrmatch. Without it a function of our own counts the differences, slowly. */
  readonly levenshtein: boolean;
  /** ICU collations. Without them only the characters that the database's own collation knows fold. */
  readonly icu: boolean;
}

/** A reader that runs statements. */
interface SqlReader {
  /** Identifies the pool of a session. Absent: the reader itself is the pool. */
  readonly origin?: object;
  query(text: string): Promise<{ readonly rows: readonly unknown[] }>;
}

const known = new WeakMap<object, DatabaseFeatures>();

const read = async (client: SqlReader): Promise<DatabaseFeatures> => {
  const { rows } = await client.query(
    `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') AS trigrams,
            EXISTS (SELECT FROM pg_extension WHERE extname = 'fuzzystrmatch') AS levenshtein,
            EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu') AS icu`,
  );
  return rows[0] as DatabaseFeatures;
};

/** The features of a database, read once for each pool. Sessions of one pool do not share a read that may fail for one. */
export const loadDatabaseFeatures = async (client: SqlReader): Promise<DatabaseFeatures> => {
  const origin = client.origin ?? client;
  const before = known.get(origin);
  if (before !== undefined) return before;
  const features = await read(client);
  known.set(origin, features);
  return features;
};
