import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandContext } from '../command-context.js';
import { exitStatus, Failure } from '../failure.js';
import { createProgressLine, megabytes, type BackupOptions } from './backup.js';
import { readPassphrase } from './passphrase.js';

/** The exports of `gateway/src/restore.ts` of the service. */
interface RestoreModule {
  restoreBackup(options: {
    readonly file: string;
    readonly passphrase: string;
    readonly environment: NodeJS.ProcessEnv;
    readonly onProgress: (step: 'checked' | 'written', bytes: number, ofBytes: number) => void;
  }): Promise<{
    readonly version: string;
    readonly date: string;
    readonly tables: number;
    readonly rows: number;
    readonly place: string | undefined;
  }>;
}

/** The service brings its PostgreSQL and its tables, so a restore is work of the service. */
const loadRestore = async (): Promise<RestoreModule> => {
  const bundle = new URL('../../../dist/bundle/restore.mjs', import.meta.url);
  if (existsSync(bundle)) return (await import(bundle.href)) as RestoreModule;
  throw new Failure(
    exitStatus.fault,
    'a restore needs the service: run npx fds restore in the folder of the service, after npm run build',
  );
};

const statuses: Readonly<Record<string, number>> = {
  FAULT: exitStatus.fault,
  CONFLICT: exitStatus.conflict,
  USAGE: exitStatus.usage,
};

const toFailure = (error: unknown): unknown => {
  if (!(error instanceof Error) || error.name !== 'RestoreFault' || !('kind' in error)) return error;
  return new Failure(statuses[String(error.kind)] ?? exitStatus.fault, error.message);
};

/** `fds restore <file>`: needs no sign-in, because the service does not run. */
export const restore = async (context: CommandContext, name: string, options: BackupOptions): Promise<void> => {
  const { restoreBackup } = await loadRestore();
  const passphrase = await readPassphrase(context, options, 'open');
  const line = createProgressLine();
  try {
    const restored = await restoreBackup({
      file: resolve(name),
      passphrase,
      environment: process.env,
      onProgress: (step, bytes, ofBytes) => line.show(`${step} ${megabytes(bytes)} of ${megabytes(ofBytes)}`),
    });
    line.end();
    const { tables, rows, version, date, place } = restored;
    if (options.json === true) context.print(JSON.stringify({ tables, rows, version, date }));
    else
      context.say(
        `${rows} rows of ${tables} tables, as they were at ${date}, are in ${place ?? 'the database of FDS_DATABASE_URL'}: the service can be started`,
      );
  } catch (error) {
    line.end();
    throw toFailure(error);
  }
};
