/** What the database at hand can do beyond PostgreSQL's core. */
export interface DatabaseFeatures {
  /** pg_trgm: indexes for wildcards, fuzzy terms and regular expressions. Without it they read all records of the version. */
  readonly trigrams: boolean;
  /** fuzzystrmatch. Without it a function of our own counts the differences, slowly. */
  readonly levenshtein: boolean;
  /** ICU collations. Without them only the database's own characters fold. */
  readonly icu: boolean;
}

/** Reads them; one row. They stay while a database is served. */
export const databaseFeaturesQuery = `
  SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') AS trigrams,
         EXISTS (SELECT FROM pg_extension WHERE extname = 'fuzzystrmatch') AS levenshtein,
         EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu') AS icu`;
