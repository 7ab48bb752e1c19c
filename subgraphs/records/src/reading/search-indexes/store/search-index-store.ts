import type { Queryable } from '@fds/database';
import { createHash } from 'node:crypto';
import { writeIndex, writeIndexedExpression, type DatabaseFeatures, type IndexNeed } from '@fds/search';

/** Where the keys of a version's rows are. */
export type KeyTable = 'data_record' | 'record_link';

const identities: Readonly<Record<KeyTable, readonly string[]>> = {
  data_record: ['uuid'],
  record_link: ['record_uuid', 'adaptor_uuid'],
};

/** A search index of one version. Its name contains the version and a digest of all the rest. */
export interface SearchIndex {
  readonly name: string;
  readonly table: KeyTable;
  readonly statement: string;
  /** PostgreSQL uses no statistics of partial indexes, so the expression has its own. */
  readonly statistics: string;
}

const prefix = 'search_of_';

export const describeSearchIndex = (
  domainVersionUuid: string,
  table: KeyTable,
  need: IndexNeed,
  features: DatabaseFeatures,
): SearchIndex => {
  const definition = `ON ${table} ${writeIndex(need, { domainVersionUuid, identity: identities[table] }, features)}`;
  const digest = createHash('sha256').update(definition).digest('hex').slice(0, 12);
  const name = `${prefix}${domainVersionUuid.replaceAll('-', '')}_${digest}`;
  return {
    name,
    table,
    statement: `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ${definition}`,
    statistics: `CREATE STATISTICS IF NOT EXISTS ${name} ON (${writeIndexedExpression(need, features)}) FROM ${table}`,
  };
};

/** A search index that the database has. */
export interface PresentIndex {
  readonly name: string;
  readonly domainVersionUuid: string;
  /** Completely built. */
  readonly valid: boolean;
}

export const listSearchIndexes = async (client: Queryable): Promise<PresentIndex[]> => {
  const { rows } = await client.query<{ readonly name: string; readonly valid: boolean }>(
    `SELECT c.relname AS name, i.indisvalid AS valid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid IN ('data_record'::regclass, 'record_link'::regclass) AND starts_with(c.relname, '${prefix}')`,
  );
  return rows.map(({ name, valid }) => ({
    name,
    domainVersionUuid: name.slice(prefix.length).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5'),
    valid,
  }));
};

/** Does the version have at least so many rows? */
export const holdsAtLeast = async (
  client: Queryable,
  domainVersionUuid: string,
  table: KeyTable,
  rows: number,
): Promise<boolean> => {
  const { rows: found } = await client.query(`SELECT FROM ${table} WHERE domain_version_uuid = $1 OFFSET $2 LIMIT 1`, [
    domainVersionUuid,
    rows - 1,
  ]);
  return found.length > 0;
};

/** Builds the index while records are read and written; outside of transactions only. */
export const buildSearchIndex = async (
  client: Queryable,
  { statement, statistics, table }: SearchIndex,
): Promise<void> => {
  await client.query(statistics);
  await client.query(statement);
  await client.query(`ANALYZE ${table}`);
};

/** Removes the index while records are read and written; outside of transactions only. */
export const dropSearchIndex = async (client: Queryable, name: string): Promise<void> => {
  const quoted = `"${name.replaceAll('"', '""')}"`;
  await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${quoted}`);
  await client.query(`DROP STATISTICS IF EXISTS ${quoted}`);
};

const lock = 7_236_001_114n;

/** One process at a time makes and removes search indexes; the lock is the session's. */
export const tryIndexLock = async (client: Queryable): Promise<boolean> => {
  const { rows } = await client.query<{ readonly locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
    lock,
  ]);
  return rows[0]?.locked === true;
};

export const releaseIndexLock = async (client: Queryable): Promise<void> => {
  await client.query('SELECT pg_advisory_unlock($1)', [lock]);
};
