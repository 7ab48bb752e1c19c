import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import Database from 'libsql';
import type { Knex } from 'knex';
import { openSqlite } from './open-sqlite.js';

let folder: string;
let other: Database.Database;
let connection: Knex;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fds-sqlite-'));
  const file = join(folder, 'source.sqlite');
  other = new Database(file);
  other.exec(`PRAGMA journal_mode = WAL; CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO person VALUES (1, 'a'), (2, 'b')`);
  connection = openSqlite(file);
});
afterEach(async () => {
  await connection.destroy();
  other.close();
  rmSync(folder, { recursive: true, force: true });
});

const nameOf = async (id: number): Promise<string | undefined> =>
  (await connection<{ id: number; name: string }>('person').where({ id }).first('name'))?.name;

it('reads and writes the current rows after a statement failed because of a lock', async () => {
  await connection.raw('PRAGMA busy_timeout = 0');
  other.exec('BEGIN IMMEDIATE');
  // the pool has one connection, so that the statements affect each other
  await expect(connection('person').where({ id: 1 }).update({ name: 'x' })).rejects.toMatchObject({
    code: 'SQLITE_BUSY',
  });
  await expect(connection('person').insert({ name: 'x' }).returning('id')).rejects.toMatchObject({
    code: 'SQLITE_BUSY',
  });
  other.exec(`UPDATE person SET name = 'c' WHERE id = 2; COMMIT`);
  expect(await nameOf(2)).toBe('c');
  other.exec(`UPDATE person SET name = 'd' WHERE id = 2`);
  expect(await nameOf(2)).toBe('d');
  await connection('person').where({ id: 1 }).update({ name: 'y' });
  expect(await nameOf(1)).toBe('y');
});

it('blocks other writers during a transaction that has read, and accepts its own write', async () => {
  other.exec('PRAGMA busy_timeout = 0');
  await connection.transaction(async (transaction) => {
    await transaction('person').where({ id: 1 }).first('name');
    expect(() => other.exec(`UPDATE person SET name = 'z' WHERE id = 2`)).toThrow('locked');
    await transaction('person').where({ id: 1 }).update({ name: 'y' });
  });
  expect(await nameOf(1)).toBe('y');
});

it('has no lock after a commit that a deferred constraint refuses', async () => {
  other.exec(
    `CREATE TABLE child (person INTEGER REFERENCES person DEFERRABLE INITIALLY DEFERRED); PRAGMA busy_timeout = 0`,
  );
  await connection.raw('PRAGMA foreign_keys = ON');
  const refused = connection.transaction(async (transaction) => {
    await transaction('child').insert({ person: 9 });
  });
  await expect(refused).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_FOREIGNKEY' });
  other.exec('INSERT INTO person VALUES (9, NULL)');
  await connection('child').insert({ person: 9 });
  expect(await connection('child').select('person')).toEqual([{ person: 9n }]);
});
