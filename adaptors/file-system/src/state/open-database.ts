import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';

/**
 * Opens an embedded database. Written data survives the end of the process at any point. A power failure may undo the
 * last transactions, but never half of a transaction.
 */
export const openDatabase = (directory: string, name: string, schema: string): Database.Database => {
  mkdirSync(directory, { recursive: true });
  const database = new Database(join(directory, `${name}.db`));
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000;');
    database.exec(schema);
  } catch (error) {
    database.close();
    throw new Error(`the database ${name}.db in ${directory} cannot be used`, { cause: error });
  }
  return database;
};
