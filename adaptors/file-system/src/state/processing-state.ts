import type { FolderLog, LoggedFolder } from '../storage/folder-log.js';
import type { WrittenFile } from '../storage/storage.js';
import { openDatabase } from './open-database.js';

/** A copy in progress. */
export interface CopyUnderWay {
  readonly token: string;
  /** URIs of the target and of its base folder. */
  readonly target: string;
  readonly base: string;
  /** The record of the file. Null: the copy has none, because it is not made for an event. */
  readonly record: string | null;
  /** Length and time of the content, from the event. */
  readonly fingerprint: string;
}

/** A copy that a crash interrupted. It may have its name already. */
interface LeftCopy extends CopyUnderWay {
  /** Null: the content is not complete, or the storage gives the mark when the copy appears. */
  readonly mark: string | null;
}

/** A copy that the adaptor made for a record. */
type MadeCopy = Pick<CopyUnderWay, 'target' | 'base' | 'fingerprint'>;

/** What the adaptor wrote last to a target. */
export interface LastWritten extends WrittenFile {
  readonly record: string;
}

/** A place that the adaptor wrote to. */
interface PlacedCopy {
  readonly target: string;
  readonly base: string;
}

/**
 * The state of copying: copies in progress, the copies of each record, the last content of each target,
 * the last description of each record, and the folders that the adaptor made.
 */
export interface ProcessingState extends FolderLog {
  begin(copy: CopyUnderWay): void;
  /** Records that the content is complete, so that a crash after this point is recognised. */
  filled(token: string, mark: string): void;
  end(token: string): void;
  underWay(): readonly LeftCopy[];
  copiesOf(record: string): readonly MadeCopy[];
  /** Copies of other records at this place. */
  othersAt(target: string, record: string): readonly MadeCopy[];
  /** Undefined: the adaptor wrote nothing there, or an earlier release wrote it. */
  lastWritten(target: string): LastWritten | undefined;
  /** Copies at other places whose mark begins with this text, also those that have got their name and are not recorded yet. */
  writtenAs(markStart: string, target: string): readonly PlacedCopy[];
  /** Records a copy, and ends the copy in progress with this token, in one step. */
  made(record: string, copy: MadeCopy, written: WrittenFile, token: string | undefined): void;
  forget(record: string, target: string): void;
  /** JSON text of the record as the messages described it until now. Undefined: no message did. */
  description(record: string): string | undefined;
  describe(record: string, json: string): void;
  dropDescription(record: string): void;
  close(): void;
}

const schema = `
  CREATE TABLE IF NOT EXISTS under_way (token TEXT PRIMARY KEY, target TEXT NOT NULL, base TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS copy_under_way (
    token TEXT PRIMARY KEY, target TEXT NOT NULL, base TEXT NOT NULL,
    record TEXT, fingerprint TEXT NOT NULL, mark TEXT) WITHOUT ROWID;
  INSERT INTO copy_under_way SELECT token, target, base, NULL, '', NULL FROM under_way;
  DELETE FROM under_way;
  CREATE TABLE IF NOT EXISTS made_copy (
    record TEXT NOT NULL, target TEXT NOT NULL, base TEXT NOT NULL, fingerprint TEXT NOT NULL,
    PRIMARY KEY (record, target)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS made_copy_target ON made_copy (target);
  CREATE TABLE IF NOT EXISTS last_written (
    target TEXT PRIMARY KEY, record TEXT NOT NULL, mark TEXT NOT NULL, digest TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS last_written_mark ON last_written (mark);
  CREATE TABLE IF NOT EXISTS description (record TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS made_folder (uri TEXT PRIMARY KEY, begun_ms REAL NOT NULL, mark TEXT) WITHOUT ROWID;`;

/** Opens `<directory>/<name>.db`. */
export const openProcessingState = (directory: string, name: string): ProcessingState => {
  const database = openDatabase(directory, name, schema);
  const insertUnderWay = database.prepare('INSERT INTO copy_under_way VALUES (?, ?, ?, ?, ?, NULL)');
  const writeMark = database.prepare('UPDATE copy_under_way SET mark = ? WHERE token = ?');
  const deleteUnderWay = database.prepare('DELETE FROM copy_under_way WHERE token = ?');
  const selectUnderWay = database.prepare(
    'SELECT token, target, base, record, fingerprint, mark FROM copy_under_way ORDER BY token',
  );
  const selectCopies = database.prepare(
    'SELECT target, base, fingerprint FROM made_copy WHERE record = ? ORDER BY target',
  );
  const selectOthers = database.prepare(
    'SELECT target, base, fingerprint FROM made_copy WHERE target = ? AND record <> ? LIMIT 100',
  );
  const writeCopy = database.prepare(`INSERT INTO made_copy VALUES (?, ?, ?, ?)
    ON CONFLICT (record, target) DO UPDATE SET base = excluded.base, fingerprint = excluded.fingerprint`);
  const deleteCopy = database.prepare('DELETE FROM made_copy WHERE record = ? AND target = ?');
  const deleteWritten = database.prepare(
    'DELETE FROM last_written WHERE target = ? AND NOT EXISTS (SELECT 1 FROM made_copy WHERE target = ?)',
  );
  const selectWritten = database.prepare('SELECT record, mark, digest FROM last_written WHERE target = ?');
  const selectWrittenAs = database.prepare(
    `SELECT w.target, c.base FROM last_written w JOIN made_copy c ON c.target = w.target
    WHERE w.mark >= @from AND w.mark < @to AND w.target <> @target
    UNION SELECT target, base FROM copy_under_way WHERE mark >= @from AND mark < @to AND target <> @target LIMIT 10`,
  );
  const writeWritten = database.prepare('INSERT OR REPLACE INTO last_written VALUES (?, ?, ?, ?)');
  const selectDescription = database.prepare('SELECT json FROM description WHERE record = ?');
  const writeDescription = database.prepare('INSERT OR REPLACE INTO description VALUES (?, ?)');
  const deleteDescription = database.prepare('DELETE FROM description WHERE record = ?');
  const selectFolder = database.prepare('SELECT mark, begun_ms AS begunMs FROM made_folder WHERE uri = ?');
  const writeFolder = database.prepare('INSERT OR REPLACE INTO made_folder VALUES (?, ?, NULL)');
  const markFolder = database.prepare('UPDATE made_folder SET mark = ? WHERE uri = ?');
  const deleteFolder = database.prepare('DELETE FROM made_folder WHERE uri = ?');

  return {
    begin: ({ token, target, base, record, fingerprint }) => {
      insertUnderWay.run(token, target, base, record, fingerprint);
    },
    filled: (token, mark) => {
      writeMark.run(mark, token);
    },
    end: (token) => {
      deleteUnderWay.run(token);
    },
    underWay: () => selectUnderWay.all() as LeftCopy[],
    copiesOf: (record) => selectCopies.all(record) as MadeCopy[],
    othersAt: (target, record) => selectOthers.all(target, record) as MadeCopy[],
    lastWritten: (target) => selectWritten.get(target) as LastWritten | undefined,
    writtenAs: (start, target) => selectWrittenAs.all({ from: start, to: `${start}\uFFFF`, target }) as PlacedCopy[],
    made: database.transaction(
      (record: string, { target, base, fingerprint }: MadeCopy, { mark, digest }: WrittenFile, token?: string) => {
        writeCopy.run(record, target, base, fingerprint);
        writeWritten.run(target, record, mark, digest);
        if (token !== undefined) deleteUnderWay.run(token);
      },
    ),
    forget: database.transaction((record: string, target: string) => {
      deleteCopy.run(record, target);
      deleteWritten.run(target, target);
    }),
    description: (record) => (selectDescription.get(record) as { readonly json: string } | undefined)?.json,
    describe: (record, json) => {
      writeDescription.run(record, json);
    },
    dropDescription: (record) => {
      deleteDescription.run(record);
    },
    findFolder: (uri) => selectFolder.get(uri) as LoggedFolder | undefined,
    makingFolder: (uri, begunMs) => {
      writeFolder.run(uri, begunMs);
    },
    madeFolder: (uri, mark) => {
      markFolder.run(mark, uri);
    },
    forgetFolder: (uri) => {
      deleteFolder.run(uri);
    },
    close: () => {
      database.close();
    },
  };
};
