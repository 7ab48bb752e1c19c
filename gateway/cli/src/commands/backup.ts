import { rmSync } from 'node:fs';
import { open, rename, stat, type FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { BackupFault, readBackup, type BackupHead } from '@fds/backup-format';
import type { CommandContext } from '../command-context.js';
import { exitStatus, Failure, failureOfAnswer, usageFailure } from '../failure.js';
import { readPassphrase, type PassphraseOptions } from './passphrase.js';

export interface BackupOptions extends PassphraseOptions {
  readonly json?: boolean;
}

const showEveryMs = 200;

/** Shows a line that changes, on a terminal only. */
export const createProgressLine = (): { show(text: string): void; end(): void } => {
  let shownAt = -Infinity;
  const { stderr } = process;
  return {
    show: (text) => {
      if (!stderr.isTTY || performance.now() - shownAt < showEveryMs) return;
      shownAt = performance.now();
      stderr.write(`\r\x1b[K${text}`);
    },
    end: () => {
      if (stderr.isTTY && shownAt > 0) stderr.write('\r\x1b[K');
    },
  };
};

/** Bytes as a reader takes them in. */
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

const requireFolder = async (file: string): Promise<void> => {
  const folder = dirname(file);
  const entry = await stat(folder).catch(() => undefined);
  if (entry?.isDirectory() !== true) throw usageFailure(`${folder} is not a folder`);
  if ((await stat(file).catch(() => undefined))?.isDirectory() === true) throw usageFailure(`${file} is a folder`);
};

interface Written {
  readonly head: BackupHead;
  readonly tables: number;
  readonly rows: number;
  readonly bytes: number;
}

/** Writes the answer to the file, and reads the written bytes: a backup is only of use if it can be read. */
const writeChecked = async (answer: Response, file: FileHandle, passphrase: string): Promise<Written> => {
  const line = createProgressLine();
  let [bytes, rows] = [0, 0];
  const written = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of answer.body ?? []) {
      const buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
      await file.writeFile(buffer);
      bytes += buffer.length;
      yield buffer;
    }
  };
  let head: BackupHead | undefined;
  let totals = { tables: 0, rows: 0 };
  try {
    for await (const entry of readBackup(written(), passphrase)) {
      if (entry.kind === 'HEAD') head = entry.head;
      else if (entry.kind === 'END') rows += entry.rows;
      else if (entry.kind === 'TRAILER') totals = entry.totals;
      line.show(`${megabytes(bytes)}, ${rows} rows`);
    }
  } catch (error) {
    if (error instanceof BackupFault)
      throw new Failure(exitStatus.fault, `the backup is not complete: ${error.message}`);
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    throw new Failure(exitStatus.fault, `the backup was not completed: ${code ?? message}`);
  } finally {
    line.end();
  }
  if (head === undefined) throw new Failure(exitStatus.fault, 'the service answered with an empty backup');
  return { head, ...totals, bytes };
};

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs work with a file that only its user may read. An interrupted command leaves no file. */
const withDraft = async <Result>(draft: string, work: (file: FileHandle) => Promise<Result>): Promise<Result> => {
  const remove = (): void => rmSync(draft, { force: true });
  const end = (): void => process.exit(exitStatus.fault);
  process.once('exit', remove);
  for (const signal of endingSignals) process.once(signal, end);
  const file = await open(draft, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw usageFailure(`${draft} cannot be written: ${error.code ?? error.message}`);
  });
  try {
    const result = await work(file);
    await file.sync();
    return result;
  } finally {
    await file.close();
    for (const signal of endingSignals) process.off(signal, end);
  }
};

const syncFolder = async (folder: string): Promise<void> => {
  // Windows opens no folder
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
};

/** `fds backup <file>`: the file appears when it is complete and was read back. */
export const backup = async (context: CommandContext, name: string, options: BackupOptions): Promise<void> => {
  const file = resolve(name);
  await requireFolder(file);
  const passphrase = await readPassphrase(context, options, 'seal');
  const draft = `${file}.${process.pid}.part`;
  const { head, tables, rows, bytes } = await withDraft(draft, async (handle) => {
    const answer = await context.hub.ask('/api/backup', {
      method: 'POST',
      body: JSON.stringify({ passphrase }),
      headers: { accept: 'application/octet-stream' },
    });
    if (!answer.ok) throw failureOfAnswer(answer.status, await answer.text());
    return writeChecked(answer, handle, passphrase);
  });
  await rename(draft, file);
  await syncFolder(dirname(file));
  if (options.json === true)
    context.print(JSON.stringify({ file, bytes, tables, rows, version: head.version, date: head.date }));
  else context.say(`${file}: ${rows} rows of ${tables} tables in ${megabytes(bytes)}, as they were at ${head.date}`);
};
