import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../harness/spawned.js';

/** The Chinook database of SQLite. */
export const chinookFile =
  process.env['FDS_CHINOOK_SQLITE'] ?? join(root, '../shared/data/chinook/Chinook_Sqlite.sqlite');

/** The reason why a test that needs the file is skipped; undefined if it exists. */
export const chinookMissing = existsSync(chinookFile)
  ? undefined
  : `the Chinook database is not at ${chinookFile} (set FDS_CHINOOK_SQLITE)`;
