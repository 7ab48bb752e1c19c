import Database from 'libsql';
import type { SqlRow, SqlSession } from './sql-session.js';

/**
 * Opens a database file. Creates it if it is missing. The effect of a statement that has returned survives the end of
 * the process and, as in PostgreSQL, a crash of the machine.
 */
export const openEmbeddedSession = (file: string): SqlSession => {
  const database = new Database(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  const prepared = new Map<string, Database.Statement>();
  const statement = (sql: string): Database.Statement => {
    const known = prepared.get(sql) ?? database.prepare(sql);
    // the adaptor has a few fixed statements, and list statements that differ in the number of records
    if (prepared.size < 100) prepared.set(sql, known);
    return known;
  };
  return {
    run: (sql, parameters = []) => Promise.resolve(statement(sql).all(...parameters) as SqlRow[]),
    change: (sql, parameters = []) => Promise.resolve(statement(sql).run(...parameters).changes),
    propertyOf: (json) => `(SELECT one.value FROM json_each(${json}) one WHERE one.key = ?)`,
    close: () => {
      database.close();
      return Promise.resolve();
    },
  };
};
