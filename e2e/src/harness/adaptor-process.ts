import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@fds/testing';
import { request } from 'undici';
import type { CreatedAdaptor } from './catalogue.js';
import { freePort } from './free-port.js';
import type { Leftovers } from './leftovers.js';
import { requireNonePrinted } from './printed-secrets.js';
import type { Service } from './service.js';
import { spawnScript, type Launch, type Spawned } from './spawned.js';

/** A running adaptor. */
export interface AdaptorProcess {
  readonly dataDirectory: string;
  process(): Spawned;
  kill(): Promise<void>;
  /** Starts the adaptor again with its existing state. */
  start(more?: Launch): void;
  /** Waits until its health is UP. */
  untilUp(): Promise<void>;
}

export interface AdaptorProgram {
  /** Script, from the root of the checkout. */
  readonly script: string;
  /** The Node that runs it. Default: the one of this process. */
  readonly node?: string;
  readonly environment?: (dataDirectory: string) => Readonly<Record<string, string>>;
}

/** Starts an adaptor program with its credentials and a separate state directory. */
export const startAdaptorProcess = async (
  leftovers: Leftovers,
  service: Pick<Service, 'baseUrl' | 'busUrl'>,
  adaptor: CreatedAdaptor,
  program: AdaptorProgram,
): Promise<AdaptorProcess> => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'fds-adaptor-'));
  const port = await freePort();
  const launch = (more: Launch = {}): Spawned =>
    spawnScript({
      script: program.script,
      ...(program.node !== undefined && { node: program.node }),
      cwd: dataDirectory,
      environment: {
        ADAPTOR_UUID: adaptor.uuid,
        CLIENT_ID: adaptor.clientId,
        CLIENT_SECRET: adaptor.clientSecret,
        MESSAGE_BUS_URL: service.busUrl,
        AUTH_SERVER_URL: service.baseUrl,
        PORT: String(port),
        DATA_DIRECTORY: dataDirectory,
        ...program.environment?.(dataDirectory),
        ...more.environment,
      },
      preload: more.preload,
    });
  let current = launch();
  leftovers.add(async () => {
    await current.end('SIGTERM');
    rmSync(dataDirectory, { recursive: true, force: true });
    requireNonePrinted(current.output(), { 'its client secret': adaptor.clientSecret });
  });
  return {
    dataDirectory,
    process: () => current,
    kill: async () => {
      await current.end('SIGKILL');
    },
    start: (more) => {
      current = launch(more);
    },
    untilUp: () =>
      eventually(async () => {
        if (!current.running) throw new Error(`the adaptor ended:\n${current.output()}`);
        const { statusCode, body } = await request(`http://localhost:${port}/health`);
        await body.dump();
        if (statusCode !== 200) throw new Error(`adaptor health ${statusCode}:\n${current.output()}`);
      }),
  };
};

/** Starts `fds-database-adaptor` and waits until it is up. */
export const startDatabaseAdaptor = async (
  leftovers: Leftovers,
  service: Service,
  adaptor: CreatedAdaptor,
): Promise<AdaptorProcess> => {
  const process = await startAdaptorProcess(leftovers, service, adaptor, { script: 'adaptors/database/dist/main.js' });
  await process.untilUp();
  return process;
};
