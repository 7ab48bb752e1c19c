import type pg from 'pg';

/** What a pool, a connection and a share of the database have in common. */
export interface Queryable {
  query<R extends pg.QueryResultRow>(
    statement: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<R>>;
}
