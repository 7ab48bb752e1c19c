import Database from 'libsql';
import type { KnownRow } from '../source/row-base.js';
import { unreported, type StateStore, type TableState } from './adaptor-state.js';

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS scan (handler TEXT PRIMARY KEY, scanned_until TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS log (handler TEXT PRIMARY KEY, slot TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS source (handler TEXT PRIMARY KEY, identity TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS known_row (
    handler TEXT NOT NULL, key_text TEXT NOT NULL, digest TEXT NOT NULL, dr_uuid TEXT, record TEXT NOT NULL,
    PRIMARY KEY (handler, key_text)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS announced_row (
    handler TEXT NOT NULL, key_text TEXT NOT NULL, PRIMARY KEY (handler, key_text)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS known_row_record ON known_row (handler, dr_uuid) WHERE dr_uuid IS NOT NULL;`;

/** Limits the text of one call: a record is smaller than a message. */
const rowsOfCall = 500;

/** Removes the member that the driver adds to each row. */
const toKnownRow = (row: unknown): KnownRow => {
  const { keyText, digest, drUuid, record } = row as KnownRow;
  return { keyText, digest, drUuid, record };
};

const columns = `key_text AS keyText, dr_uuid AS drUuid, record, CASE WHEN EXISTS (SELECT 1 FROM announced_row AS announced
  WHERE announced.handler = known_row.handler AND announced.key_text = known_row.key_text) THEN '${unreported}' ELSE digest END AS digest`;

/** Keeps the state in a file. Only one process may use it at a time. */
export const openFileStore = (file: string): StateStore => {
  const database = new Database(file);
  database.exec(schema);
  const readScan = database.prepare('SELECT scanned_until AS until FROM scan WHERE handler = ?');
  const writeScan = database.prepare(
    'INSERT INTO scan VALUES (?, ?) ON CONFLICT (handler) DO UPDATE SET scanned_until = excluded.scanned_until',
  );
  const readLog = database.prepare('SELECT slot FROM log WHERE handler = ?');
  const writeLog = database.prepare(
    'INSERT INTO log VALUES (?, ?) ON CONFLICT (handler) DO UPDATE SET slot = excluded.slot',
  );
  const readSource = database.prepare('SELECT identity FROM source WHERE handler = ?');
  const writeSource = database.prepare(
    'INSERT INTO source VALUES (?, ?) ON CONFLICT (handler) DO UPDATE SET identity = excluded.identity',
  );
  const deleteLog = database.prepare('DELETE FROM log WHERE handler = ?');
  // many rows in one call: the overhead of a call is as large as its work for one row
  const readRows = database.prepare(
    `SELECT ${columns} FROM known_row WHERE handler = ? AND key_text IN (SELECT value FROM json_each(?))`,
  );
  // without the name of the index, the planner reads every row
  const readRecords = database.prepare(
    `SELECT ${columns} FROM known_row INDEXED BY known_row_record
     WHERE handler = ? AND dr_uuid IS NOT NULL AND dr_uuid IN (SELECT value FROM json_each(?))`,
  );
  const readKeys = database.prepare(
    'SELECT key_text AS keyText FROM known_row WHERE handler = ? AND key_text > ? ORDER BY key_text LIMIT ?',
  );
  const writeRows = database.prepare(`INSERT INTO known_row
    SELECT ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?) WHERE true ON CONFLICT (handler, key_text)
    DO UPDATE SET digest = excluded.digest, dr_uuid = coalesce(excluded.dr_uuid, known_row.dr_uuid), record = excluded.record`);
  const announceRows = database.prepare('INSERT OR IGNORE INTO announced_row SELECT ?, value FROM json_each(?)');
  const confirmRows = database.prepare(
    'DELETE FROM announced_row WHERE handler = ? AND key_text IN (SELECT value FROM json_each(?))',
  );
  const deleteRow = database.prepare('DELETE FROM known_row WHERE handler = ? AND key_text = ?');

  const table = (domain: string, version: number): TableState => {
    const handler = `${domain}:${version}`;
    const putRows = (rows: readonly KnownRow[]): void => {
      for (let at = 0; at < rows.length; at += rowsOfCall) {
        const values = rows
          .slice(at, at + rowsOfCall)
          .map(({ keyText, digest, drUuid, record }) => [keyText, digest, drUuid, record]);
        writeRows.run(handler, JSON.stringify(values));
      }
    };
    /** @returns the number of these rows that were announced */
    const confirm = (keyTexts: readonly string[]): number => confirmRows.run(handler, JSON.stringify(keyTexts)).changes;
    const keysOf = (rows: readonly KnownRow[]): readonly string[] => rows.map(({ keyText }) => keyText);
    const announceAll = database.transaction((rows: readonly KnownRow[]) => {
      putRows(rows);
      announceRows.run(handler, JSON.stringify(keysOf(rows)));
    });
    const confirmAll = database.transaction((rows: readonly KnownRow[]) => {
      // an incoming event has stored one of the rows since, with another digest
      if (confirm(keysOf(rows)) < rows.length) putRows(rows);
    });
    const rememberRows = database.transaction((rows: readonly KnownRow[]) => {
      putRows(rows);
      confirm(keysOf(rows));
    });
    const deleteRows = database.transaction((keyTexts: readonly string[]) => {
      for (const keyText of keyTexts) deleteRow.run(handler, keyText);
      confirm(keyTexts);
    });
    return {
      scannedUntil: async () => {
        const row = readScan.get(handler) as { until: string } | undefined;
        return row === undefined ? undefined : BigInt(row.until);
      },
      rememberScan: async (scannedUntil) => void writeScan.run(handler, String(scannedUntil)),
      scannedLog: async () => (readLog.get(handler) as { slot: string } | undefined)?.slot,
      rememberLog: async (slot) => void (slot === undefined ? deleteLog.run(handler) : writeLog.run(handler, slot)),
      knownSource: async () => (readSource.get(handler) as { identity: string } | undefined)?.identity,
      rememberSource: async (source) => void writeSource.run(handler, source),
      knownRows: async (keyTexts) => {
        const rows = readRows.all(handler, JSON.stringify(keyTexts)).map(toKnownRow);
        return new Map(rows.map((row) => [row.keyText, row]));
      },
      byRecords: async (drUuids) => {
        const rows = readRecords.all(handler, JSON.stringify(drUuids)).map(toKnownRow);
        return new Map(rows.map((row) => [row.drUuid ?? '', row]));
      },
      keysAfter: async (keyText, limit) =>
        (readKeys.all(handler, keyText ?? '', limit) as KnownRow[]).map((row) => row.keyText),
      rememberRows: async (rows) => rememberRows(rows),
      announceRows: async (rows) => announceAll(rows),
      confirmRows: async (rows) => confirmAll(rows),
      forget: async (keyTexts) => deleteRows(keyTexts),
    };
  };

  return { table, close: async () => void database.close() };
};
