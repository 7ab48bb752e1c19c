import type pg from 'pg';

/** The common part of a pool, a connection and a share of the database. */
export interface Queryable {
  /**
   * Identifies the pool of a session, so that facts about the database are read once for all its sessions. Absent: the
   * session itself identifies it.
   */
  readonly origin?: object;
  query<R extends pg.QueryResultRow>(
    statement: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<R>>;
}
