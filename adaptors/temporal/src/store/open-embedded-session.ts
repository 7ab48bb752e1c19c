import Database from 'libsql';
import type { SqlRow, SqlSession } from './sql-session.js';

/**
 * Opens a database file, and creates it where it is missing. A statement that has returned survives the end of the process
 * and, as PostgreSQL does it, the end of the machine.
 */
export const openEmbeddedSession = (file: string): SqlSession => {
  const database = new Database(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  const prepared = new Map<string, Database.Statement>();
  const statement = (sql: string): Database.Statement => {
    const known = prepared.get(sql) ?? database.prepare(sql);
    // the adaptor has some fixed statements, and those of lists, which differ in the number of records
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
