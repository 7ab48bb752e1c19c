import type { FolderIdentity, FoundFile } from '../storage/storage.js';
import { openDatabase } from './open-database.js';

/** A change of a monitored file that is about to be published. */
interface NotedChange {
  readonly folder: string;
  readonly file: FoundFile;
  readonly kind: 'PRESENT' | 'GONE';
  /** Number of events of the change. */
  readonly events: number;
}

/** Which folder is monitored under a URI. */
export interface KnownIdentity {
  /** Undefined: the folder was never scanned. An inode is absent where an earlier release stored the device alone. */
  readonly identity: (Omit<FolderIdentity, 'inode'> & { readonly inode?: string }) | undefined;
  /** The present `sourceChanged: "ACCEPT"` of the metadata has accepted an identity and accepts no other one. */
  readonly acceptanceUsed: boolean;
}

/**
 * The state of a source: the reported files, and the changes that are being reported. A change is noted, then
 * published, then settled. After a crash, the number of published events shows which noted changes were published.
 */
export interface MonitoringState {
  /** The files that were reported. */
  files(folder: string): readonly FoundFile[];
  identity(folder: string): KnownIdentity;
  setIdentity(folder: string, known: KnownIdentity): void;
  /** @param publishedBefore number of events that the adaptor had published when the changes were noted */
  note(changes: readonly NotedChange[], publishedBefore: number): void;
  /** SHA-256 of the content that was reported for a file. Undefined: unknown. */
  digest(folder: string, path: string): string | undefined;
  /** SHA-256 in the last event of a file. Undefined: it had none. */
  sentDigest(folder: string, path: string): string | undefined;
  /** Records the stamps, and the digests that became known, of reported files whose other facts stay the same. */
  stamp(folder: string, files: readonly FoundFile[]): void;
  /** Records the noted changes as published. */
  settle(): void;
  /**
   * Called after a start. Settles the noted changes that were published, and drops the others; the next scan finds them
   * again.
   */
  recover(published: number): void;
  close(): void;
}

const schema = `
  CREATE TABLE IF NOT EXISTS folder (folder TEXT PRIMARY KEY, device TEXT);
  CREATE TABLE IF NOT EXISTS folder_identity (
    folder TEXT PRIMARY KEY, device TEXT, inode TEXT, path TEXT, acceptance_used INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS file (
    folder TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, modified_ms REAL NOT NULL,
    PRIMARY KEY (folder, path)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS note (
    id INTEGER PRIMARY KEY AUTOINCREMENT, published_before INTEGER NOT NULL, events INTEGER NOT NULL,
    folder TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, modified_ms REAL NOT NULL, kind TEXT NOT NULL);`;

/** Columns that earlier releases did not have. */
const laterColumns = { file: ['stamp', 'digest TEXT', 'sent_digest TEXT'], note: ['stamp', 'digest TEXT'] } as const;

interface IdentityRow {
  readonly device: string | null;
  readonly inode: string | null;
  readonly path: string | null;
  readonly acceptance_used: number;
}

interface NoteRow {
  readonly id: number;
  readonly published_before: number;
  readonly events: number;
}

/** Opens `<directory>/<name>.db`. */
export const openMonitoringState = (directory: string, name: string): MonitoringState => {
  const database = openDatabase(directory, name, schema);
  for (const [table, later] of Object.entries(laterColumns)) {
    const columns = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).pluck().all();
    const missing = later.filter((column) => !columns.includes(column.split(' ')[0]));
    for (const column of missing) database.exec(`ALTER TABLE ${table} ADD COLUMN ${column}`);
  }
  const selectFiles = database.prepare(
    'SELECT path, size, modified_ms AS modifiedMs, stamp, digest FROM file WHERE folder = ?',
  );
  const selectDigests = database.prepare('SELECT digest, sent_digest AS sent FROM file WHERE folder = ? AND path = ?');
  const digestsOf = (folder: string, path: string) =>
    selectDigests.get(folder, path) as { readonly digest: string | null; readonly sent: string | null } | undefined;
  const updateStamp = database.prepare(
    'UPDATE file SET stamp = ?, digest = coalesce(?, digest) WHERE folder = ? AND path = ?',
  );
  // earlier releases stored the device alone
  const selectDevice = database.prepare('SELECT device FROM folder WHERE folder = ?');
  const selectIdentity = database.prepare(
    'SELECT device, inode, path, acceptance_used FROM folder_identity WHERE folder = ?',
  );
  const writeIdentity = database.prepare('INSERT OR REPLACE INTO folder_identity VALUES (?, ?, ?, ?, ?)');
  const insertNote = database.prepare(
    'INSERT INTO note (published_before, events, folder, path, size, modified_ms, kind, stamp, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const selectNotes = database.prepare('SELECT id, published_before, events FROM note ORDER BY id');
  const keepPresent = database.prepare(`INSERT INTO file (folder, path, size, modified_ms, stamp, digest, sent_digest)
    SELECT folder, path, size, modified_ms, stamp, digest, digest FROM note
    WHERE kind = 'PRESENT' AND id <= ? ORDER BY id
    ON CONFLICT (folder, path) DO UPDATE SET size = excluded.size, modified_ms = excluded.modified_ms,
      stamp = excluded.stamp, digest = excluded.digest, sent_digest = excluded.sent_digest`);
  const dropGone = database.prepare(
    `DELETE FROM file WHERE (folder, path) IN (SELECT folder, path FROM note WHERE kind = 'GONE' AND id <= ?)`,
  );
  const clearNotes = database.prepare('DELETE FROM note');

  const settleUpTo = (id: number): void => {
    keepPresent.run(id);
    dropGone.run(id);
    clearNotes.run();
  };

  return {
    files: (folder) =>
      (selectFiles.all(folder) as (FoundFile & { stamp: number | string | null; digest: string | null })[]).map(
        ({ stamp, digest, ...file }) => ({ ...file, stamp: stamp ?? undefined, digest: digest ?? undefined }),
      ),
    digest: (folder, path) => digestsOf(folder, path)?.digest ?? undefined,
    sentDigest: (folder, path) => digestsOf(folder, path)?.sent ?? undefined,
    stamp: database.transaction((folder: string, files: readonly FoundFile[]) => {
      for (const { path, stamp = null, digest = null } of files) updateStamp.run(stamp, digest, folder, path);
    }),
    identity: (folder) => {
      const row = selectIdentity.get(folder) as IdentityRow | undefined;
      if (row !== undefined) {
        const { device, inode, path } = row;
        const identity = device === null || inode === null ? undefined : { device, inode, path: path ?? '' };
        return { identity, acceptanceUsed: row.acceptance_used === 1 };
      }
      const old = selectDevice.get(folder) as { readonly device: string | null } | undefined;
      const device = old?.device ?? undefined;
      return { identity: device === undefined ? undefined : { device, path: '' }, acceptanceUsed: false };
    },
    setIdentity: (folder, { identity, acceptanceUsed }) => {
      const { device = null, inode = null, path = null } = identity ?? {};
      writeIdentity.run(folder, device, inode, path, acceptanceUsed ? 1 : 0);
    },
    note: database.transaction((changes: readonly NotedChange[], publishedBefore: number) => {
      for (const { folder, file, kind, events } of changes) {
        const { path, size, modifiedMs, stamp = null, digest = null } = file;
        insertNote.run(publishedBefore, events, folder, path, size, modifiedMs, kind, stamp, digest);
      }
    }),
    settle: database.transaction(() => settleUpTo(Number.MAX_SAFE_INTEGER)),
    recover: database.transaction((published: number) => {
      let events = 0;
      let last = 0;
      for (const note of selectNotes.all() as NoteRow[]) {
        events += note.events;
        if (note.published_before + events > published) break;
        last = note.id;
      }
      settleUpTo(last);
    }),
    close: () => {
      database.close();
    },
  };
};
