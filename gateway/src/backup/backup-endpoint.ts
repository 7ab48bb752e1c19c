import { Readable } from 'node:stream';
import { writeBackup, type WrittenEntry } from '@fds/backup-format';
import { AppError } from '@fds/errors';
import { isJsonObject, type JsonValue } from '@fds/json';
import { requireNoQuery, type EndpointDescription, type PermittedEndpoint } from '@fds/rest-facade';
import type { Log } from '@fds/service';

const mediaType = 'application/octet-stream';
const maxPassphraseCharacters = 1024;

const declaration: EndpointDescription['declaration'] = {
  method: 'POST',
  path: '/backup',
  operationId: 'createBackup',
  tag: 'Backup',
  summary: 'Write everything that the hub knows into one file, sealed by a passphrase',
};

/** The description of POST `/backup`. */
export const backupDescription: EndpointDescription = {
  declaration,
  access: 'permitted',
  parameters: [],
  bodies: {
    'application/json': {
      type: 'object',
      properties: {
        passphrase: {
          type: 'string',
          minLength: 1,
          maxLength: maxPassphraseCharacters,
          description: 'Seals the file. It is not kept: without it, the file cannot be read',
        },
      },
      required: ['passphrase'],
      additionalProperties: false,
    },
  },
  answers: [
    {
      status: 200,
      summary: 'The file, for fds restore. It is complete only if fds can read it to its end',
      content: { [mediaType]: { type: 'string', format: 'binary' } },
      headers: [],
    },
  ],
  refused: [400, 401, 403, 406, 409, 413, 415, 429],
};

const faultOf = (detail: string): AppError =>
  new AppError('VALIDATION_FAILED', detail, {
    errors: [{ pointer: '/passphrase', code: 'VALIDATION_FAILED', detail }],
  });

/** @throws AppError VALIDATION_FAILED */
const readPassphrase = (body: JsonValue | undefined): string => {
  const passphrase = isJsonObject(body) ? body['passphrase'] : undefined;
  if (typeof passphrase !== 'string' || passphrase === '') throw faultOf('passphrase must be a text that is not empty');
  if (passphrase.length > maxPassphraseCharacters)
    throw faultOf(`passphrase may have ${maxPassphraseCharacters} characters`);
  const other = Object.keys(body as object).find((name) => name !== 'passphrase');
  if (other === undefined) return passphrase;
  throw new AppError('VALIDATION_FAILED', `the body has no member ${other}`, {
    errors: [{ pointer: `/${other}`, code: 'VALIDATION_FAILED', detail: 'is not known' }],
  });
};

export interface BackupEndpointOptions {
  /** Reads everything that the hub knows, as it was at one moment. Ends when the signal is aborted. */
  readonly read: (signal: AbortSignal) => AsyncGenerator<WrittenEntry>;
  /** A caller who takes nothing for so long is cut off: a backup keeps old rows from being removed. */
  readonly unreadMs: number;
  readonly log: Log;
}

/** Bytes that end, with an error, when their reader takes none for a while. */
const paced = (bytes: AsyncIterable<Buffer>, unreadMs: number, end: (reason: Error) => void): Readable => {
  let timer: NodeJS.Timeout | undefined;
  const pacing = async function* () {
    try {
      for await (const piece of bytes) {
        timer = setTimeout(() => {
          const reason = new Error(`the caller took no byte of the backup for ${unreadMs} ms`);
          end(reason);
          content.destroy(reason);
        }, unreadMs);
        yield piece;
        clearTimeout(timer);
      }
    } finally {
      clearTimeout(timer);
    }
  };
  const content: Readable = Readable.from(pacing(), { objectMode: false });
  return content;
};

/** Waits for the first entry, so that a database that does not answer is a refusal and no broken file. */
const begun = async (entries: AsyncGenerator<WrittenEntry>): Promise<AsyncIterable<WrittenEntry>> => {
  const first = await entries.next();
  return (async function* () {
    try {
      if (first.done !== true) yield first.value;
      yield* entries;
    } finally {
      await entries.return(undefined);
    }
  })();
};

/** POST `/backup`. A process makes one backup at a time. */
export const createBackupEndpoint = ({ read, unreadMs, log }: BackupEndpointOptions): PermittedEndpoint => {
  let isRunning = false;
  return {
    declaration,
    access: 'permitted',
    offers: [mediaType],
    serve: async ({ body, query, requestId, signal: callerSignal }) => {
      requireNoQuery(query);
      const passphrase = readPassphrase(body);
      if (isRunning) throw new AppError('CONFLICT', 'this process makes a backup already: wait for its end');
      isRunning = true;
      const stop = new AbortController();
      const signal = AbortSignal.any([callerSignal, stop.signal]);
      const entries = await begun(read(signal)).catch((error: unknown) => {
        isRunning = false;
        throw error;
      });
      const content = paced(writeBackup(entries, passphrase), unreadMs, (reason) => stop.abort(reason));
      content.once('error', (error) => log.warn({ requestId, err: error }, 'a backup was not completed'));
      content.once('close', () => {
        isRunning = false;
      });
      return { status: 200, headers: { 'cache-control': 'no-store, no-transform' }, content };
    },
  };
};
