import Database from 'libsql';

/** What the adaptor knows of a row: the content it last reported or applied, and the record it belongs to. */
export interface KnownRow {
  readonly keyText: string;
  readonly digest: string;
  /** Known once the server named the record. */
  readonly drUuid: string | null;
  /** JSON of the row's record when it was last seen: gives the DR Key of a row that is gone. */
  readonly record: string;
}

/** The adaptor's own memory of one table, on disk. */
export interface TableState {
  /** Latest modification seen, microseconds since the epoch. */
  scannedUntil(): bigint | undefined;
  /** Name of the replication slot since which the log is read without a gap. */
  scannedLog(): string | undefined;
  rememberLog(slot: string | undefined): void;
  knownRows(keyTexts: readonly string[]): ReadonlyMap<string, KnownRow>;
  byRecord(drUuid: string): KnownRow | undefined;
  /** Known keys behind one, in order; for the search of deleted rows. */
  keysAfter(keyText: string | undefined, limit: number): readonly string[];
  /** Remembers rows and, where given, how far the scan is: all or nothing. */
  remember(rows: readonly KnownRow[], scannedUntil?: bigint): void;
  forget(keyTexts: readonly string[]): void;
}

/** The adaptor's memory in `<data directory>/database-adaptor.sqlite`. Survives a crash at any point. */
export interface AdaptorState {
  table(domain: string, version: number): TableState;
  close(): void;
}

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS scan (handler TEXT PRIMARY KEY, scanned_until TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS log (handler TEXT PRIMARY KEY, slot TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS known_row (
    handler TEXT NOT NULL, key_text TEXT NOT NULL, digest TEXT NOT NULL, dr_uuid TEXT, record TEXT NOT NULL,
    PRIMARY KEY (handler, key_text)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS known_row_record ON known_row (handler, dr_uuid) WHERE dr_uuid IS NOT NULL;`;

const columns = 'key_text AS keyText, digest, dr_uuid AS drUuid, record';

export const openAdaptorState = (file: string): AdaptorState => {
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
  const deleteLog = database.prepare('DELETE FROM log WHERE handler = ?');
  const readRow = database.prepare(`SELECT ${columns} FROM known_row WHERE handler = ? AND key_text = ?`);
  const readRecord = database.prepare(`SELECT ${columns} FROM known_row WHERE handler = ? AND dr_uuid = ?`);
  const readKeys = database.prepare(
    'SELECT key_text AS keyText FROM known_row WHERE handler = ? AND key_text > ? ORDER BY key_text LIMIT ?',
  );
  const writeRow = database.prepare(`INSERT INTO known_row VALUES (?, ?, ?, ?, ?) ON CONFLICT (handler, key_text)
    DO UPDATE SET digest = excluded.digest, dr_uuid = coalesce(excluded.dr_uuid, known_row.dr_uuid), record = excluded.record`);
  const deleteRow = database.prepare('DELETE FROM known_row WHERE handler = ? AND key_text = ?');

  const table = (domain: string, version: number): TableState => {
    const handler = `${domain}:${version}`;
    return {
      scannedUntil: () => {
        const row = readScan.get(handler) as { until: string } | undefined;
        return row === undefined ? undefined : BigInt(row.until);
      },
      scannedLog: () => (readLog.get(handler) as { slot: string } | undefined)?.slot,
      rememberLog: (slot) => {
        if (slot === undefined) deleteLog.run(handler);
        else writeLog.run(handler, slot);
      },
      knownRows: (keyTexts) =>
        new Map(
          keyTexts.flatMap((keyText) => {
            const row = readRow.get(handler, keyText) as KnownRow | undefined;
            return row === undefined ? [] : [[keyText, row] as const];
          }),
        ),
      byRecord: (drUuid) => readRecord.get(handler, drUuid) as KnownRow | undefined,
      keysAfter: (keyText, limit) =>
        (readKeys.all(handler, keyText ?? '', limit) as KnownRow[]).map((row) => row.keyText),
      remember: database.transaction((rows: readonly KnownRow[], scannedUntil?: bigint) => {
        for (const { keyText, digest, drUuid, record } of rows) writeRow.run(handler, keyText, digest, drUuid, record);
        if (scannedUntil !== undefined) writeScan.run(handler, String(scannedUntil));
      }),
      forget: database.transaction((keyTexts: readonly string[]) => {
        for (const keyText of keyTexts) deleteRow.run(handler, keyText);
      }),
    };
  };

  return { table, close: () => database.close() };
};
