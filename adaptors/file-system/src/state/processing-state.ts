import { openDatabase } from './open-database.js';

/** A copy in progress. */
interface CopyUnderWay {
  readonly token: string;
  /** URIs of the target and of its base folder. */
  readonly target: string;
  readonly base: string;
}

/** A copy that the adaptor made. */
interface MadeCopy {
  readonly target: string;
  readonly base: string;
  /** Length and time of the content, from the event. */
  readonly fingerprint: string;
}

/** The state of copying: copies in progress, and the copies of each record. */
export interface ProcessingState {
  begin(copy: CopyUnderWay): void;
  end(token: string): void;
  underWay(): readonly CopyUnderWay[];
  copiesOf(record: string): readonly MadeCopy[];
  /** Number of other records that have a copy at this place. */
  othersAt(target: string, record: string): number;
  remember(record: string, copy: MadeCopy): void;
  forget(record: string, target: string): void;
  close(): void;
}

const schema = `
  CREATE TABLE IF NOT EXISTS under_way (token TEXT PRIMARY KEY, target TEXT NOT NULL, base TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS made_copy (
    record TEXT NOT NULL, target TEXT NOT NULL, base TEXT NOT NULL, fingerprint TEXT NOT NULL,
    PRIMARY KEY (record, target)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS made_copy_target ON made_copy (target);`;

/** Opens `<directory>/<name>.db`. */
export const openProcessingState = (directory: string, name: string): ProcessingState => {
  const database = openDatabase(directory, name, schema);
  const insertUnderWay = database.prepare('INSERT INTO under_way VALUES (?, ?, ?)');
  const deleteUnderWay = database.prepare('DELETE FROM under_way WHERE token = ?');
  const selectUnderWay = database.prepare('SELECT token, target, base FROM under_way ORDER BY token');
  const selectCopies = database.prepare(
    'SELECT target, base, fingerprint FROM made_copy WHERE record = ? ORDER BY target',
  );
  const countOthers = database.prepare('SELECT count(*) AS others FROM made_copy WHERE target = ? AND record <> ?');
  const writeCopy = database.prepare(`INSERT INTO made_copy VALUES (?, ?, ?, ?)
    ON CONFLICT (record, target) DO UPDATE SET base = excluded.base, fingerprint = excluded.fingerprint`);
  const deleteCopy = database.prepare('DELETE FROM made_copy WHERE record = ? AND target = ?');

  return {
    begin: ({ token, target, base }) => {
      insertUnderWay.run(token, target, base);
    },
    end: (token) => {
      deleteUnderWay.run(token);
    },
    underWay: () => selectUnderWay.all() as CopyUnderWay[],
    copiesOf: (record) => selectCopies.all(record) as MadeCopy[],
    othersAt: (target, record) => (countOthers.get(target, record) as { others: number }).others,
    remember: (record, { target, base, fingerprint }) => {
      writeCopy.run(record, target, base, fingerprint);
    },
    forget: (record, target) => {
      deleteCopy.run(record, target);
    },
    close: () => {
      database.close();
    },
  };
};
