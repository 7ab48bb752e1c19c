import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupFault, readBackup, type BackupHead, type Entry } from '@fds/backup-format';
import {
  FolderInUse,
  OtherMajorVersion,
  openEmbeddedPostgres,
  RestoreRefused,
  restoreSnapshot,
  splitMigrations,
} from '@fds/database';
import { createLog, loadSettings, SettingsError } from '@fds/service';
import { serviceVersion } from '../service-version.js';
import { databaseSettings } from '../settings/database-settings.js';
import { signInSettings } from '../settings/sign-in-settings.js';
import { nameDatabaseFault } from '../startup/migrate-database.js';
import { nameUnusableFiles } from '../startup/name-unusable-files.js';
import { openDataDir } from '../startup/open-data-dir.js';
import { keyFile, loadHubFile, loadRestoreMark, markRestore, unmarkRestore, writeHubFiles } from './hub-files.js';

/** CONFLICT: the hub is in a state in which it takes no backup. USAGE: a setting or the file cannot be read. */
type RestoreFaultKind = 'FAULT' | 'CONFLICT' | 'USAGE';

/** A restore that was refused, with the cause for its user. */
export class RestoreFault extends Error {
  override readonly name = 'RestoreFault';
  constructor(
    readonly kind: RestoreFaultKind,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

interface RestoreOptions {
  readonly file: string;
  readonly passphrase: string;
  /** The variables of the service: FDS_DATA_DIR or FDS_DATABASE_URL, FDS_SECRET_KEY. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called with the bytes of the file that were read in this step. The file is read twice: to check it, and to write it. */
  readonly onProgress: (step: 'checked' | 'written', bytes: number, ofBytes: number) => void;
}

/** Counts and origin of the restored rows. */
interface Restored {
  readonly version: string;
  readonly date: string;
  readonly tables: number;
  readonly rows: number;
  /** The data directory, or undefined for FDS_DATABASE_URL. */
  readonly place: string | undefined;
}

interface Checked {
  readonly head: BackupHead;
  readonly files: Readonly<Record<string, string>>;
  readonly tables: number;
  readonly rows: number;
}

const sizeOf = async (file: string): Promise<number> => {
  const entry = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new RestoreFault('USAGE', `${file} cannot be read: ${error.code ?? error.message}`, error);
  });
  if (!entry.isFile()) throw new RestoreFault('USAGE', `${file} is not a file`);
  return entry.size;
};

const read = async function* (
  { file, passphrase, onProgress }: RestoreOptions,
  step: 'checked' | 'written',
  size: number,
): AsyncGenerator<Entry> {
  let bytes = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of createReadStream(file, { highWaterMark: 2 ** 20 }) as AsyncIterable<Buffer>) {
      bytes += piece.length;
      onProgress(step, bytes, size);
      yield piece;
    }
  };
  yield* readBackup(counted(), passphrase);
};

/** Reads the whole file before anything is written. */
const check = async (options: RestoreOptions, size: number): Promise<Checked> => {
  const files: Record<string, string> = {};
  let head: BackupHead | undefined;
  let totals = { tables: 0, rows: 0 };
  for await (const entry of read(options, 'checked', size)) {
    if (entry.kind === 'HEAD') head = entry.head;
    else if (entry.kind === 'FILE') files[entry.name] = entry.content;
    else if (entry.kind === 'TRAILER') totals = entry.totals;
  }
  if (head === undefined) throw new RestoreFault('FAULT', 'the backup has no beginning');
  await splitMigrations(head, serviceVersion());
  return { head, files, ...totals };
};

/** The key of the place, if it has one, must be that of the backup: another key cannot open the secrets of the restored hub. */
const requireSameKey = async (dataDir: string, given: string | undefined, { files }: Checked): Promise<void> => {
  const key = files[keyFile]?.trim();
  if (given !== undefined && Buffer.compare(Buffer.from(given, 'base64'), Buffer.from(key ?? '', 'base64')) !== 0)
    throw new RestoreFault(
      'CONFLICT',
      `FDS_SECRET_KEY is not the key of the backup: leave it out, and restore writes the key to ${keyFile} of FDS_DATA_DIR`,
    );
  const present = await loadHubFile(dataDir, keyFile);
  if (given === undefined && present !== undefined && present.trim() !== key)
    throw new RestoreFault(
      'CONFLICT',
      `FDS_DATA_DIR: ${join(dataDir, keyFile)} is the key of another hub: restore into another folder`,
    );
};

const openTarget = async (dataDir: string, url: string | undefined) =>
  url === undefined
    ? openEmbeddedPostgres({ dataDir: join(dataDir, 'postgres'), log: createLog('silent') })
    : { url, close: async () => undefined };

const write = async (options: RestoreOptions, checked: Checked, size: number): Promise<string | undefined> => {
  const settings = loadSettings({ ...databaseSettings, secretKey: signInSettings.secretKey }, options.environment);
  const databaseUrl = settings.databaseUrl?.reveal();
  const secretKey = settings.secretKey?.reveal();
  const dataDir = await openDataDir(settings.dataDir);
  const name = `${checked.head.date} ${checked.rows} rows`;
  return nameUnusableFiles(dataDir, async () => {
    await requireSameKey(dataDir, secretKey, checked);
    const target = await openTarget(dataDir, databaseUrl);
    try {
      const earlier = await loadRestoreMark(dataDir);
      await nameDatabaseFault(target.url, async () => {
        await restoreSnapshot({
          url: target.url,
          version: serviceVersion(),
          entries: read(options, 'written', size),
          onBegin: () => markRestore(dataDir, name),
          // in one transaction with the rows: a hub without its key could read none of its secrets
          writeFiles: ({ [keyFile]: key = '', ...others }) =>
            writeHubFiles(dataDir, secretKey === undefined ? { [keyFile]: key, ...others } : others),
        });
      }).catch((error: unknown) => {
        // it was interrupted behind its last step: the rows are there at once or not at all
        if (!(error instanceof RestoreRefused && error.code === 'NOT_EMPTY' && earlier === name)) throw error;
      });
      await unmarkRestore(dataDir);
    } finally {
      await target.close();
    }
    return databaseUrl === undefined ? dataDir : undefined;
  });
};

const toFault = (error: unknown, environment: RestoreOptions['environment']): unknown => {
  if (error instanceof RestoreFault) return error;
  if (error instanceof SettingsError) return new RestoreFault('USAGE', error.message, error);
  if (error instanceof BackupFault) return new RestoreFault('FAULT', error.message, error);
  if (error instanceof FolderInUse) {
    const user = error.pid === undefined ? 'a service' : `a service, process ${error.pid},`;
    return new RestoreFault('CONFLICT', `FDS_DATA_DIR: ${user} uses this hub: stop it first`, error);
  }
  if (error instanceof OtherMajorVersion)
    return new RestoreFault('CONFLICT', `FDS_DATA_DIR: ${error.message}: restore into another folder`, error);
  if (!(error instanceof RestoreRefused)) return error;
  const variable = environment['FDS_DATABASE_URL'] === undefined ? 'FDS_DATA_DIR' : 'FDS_DATABASE_URL';
  return error.code === 'NEWER_BACKUP'
    ? new RestoreFault('FAULT', error.message, error)
    : new RestoreFault('CONFLICT', `${variable}: ${error.message}`, error);
};

/**
 * Writes a backup into a hub that was never started: into the embedded database of FDS_DATA_DIR, or that of
 * FDS_DATABASE_URL. The whole file is checked first. Rows are written at once or not at all. After an interruption the
 * service does not start until the call was repeated.
 *
 * @throws RestoreFault for every cause that the user can remove; the hub is unchanged
 */
export const restoreBackup = async (options: RestoreOptions): Promise<Restored> => {
  try {
    const size = await sizeOf(options.file);
    const checked = await check(options, size);
    const place = await write(options, checked, size);
    const { head, tables, rows } = checked;
    return { version: head.version, date: head.date, tables, rows, place };
  } catch (error) {
    throw toFault(error, options.environment);
  }
};
