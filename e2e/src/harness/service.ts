import { rmSync, chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { documentAssembly } from './contract/hold-to-contract.js';
import { firstPasswords } from './first-passwords.js';
import { freePort } from './free-port.js';
import type { Leftovers } from './leftovers.js';
import { requireNonePrinted } from './printed-secrets.js';
import { serviceScript, spawnScript, type Launch, type Spawned } from './spawned.js';
import { waitForHealth } from './wait-for-health.js';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';

/** Settings that influence the data of a first start, and settings of tests that read the log of a first start. */
const firstStartSettings = [
  'FDS_DATABASE_URL',
  'FDS_SECRET_KEY',
  'FDS_ADMIN_PASSWORD',
  'FDS_DGS_PASSWORD',
  'FDS_LOG_LEVEL',
  'NODE_OPTIONS',
];

/**
 * Creates the data directory of a service: a copy of the one that `prepareData` made. It is empty if there is no such
 * copy, or if a setting needs a first start.
 */
const createDataDir = (environment: Readonly<Record<string, string>>): string => {
  const dataDir = mkdtempSync(join(tmpdir(), 'fds-e2e-'));
  // if the user is root, the embedded database runs as another user
  chmodSync(dataDir, 0o755);
  const prepared = process.env['FDS_TEST_PREPARED_DATA'];
  const needsFirstStart = firstStartSettings.some((name) => environment[name] !== undefined);
  // `cp -a` keeps the owner of the database's files
  if (prepared !== undefined && !needsFirstStart) execFileSync('cp', ['-a', `${prepared}/.`, dataDir]);
  return dataDir;
};

/** A service with its own embedded database and broker, for those who use it. */
export interface ServiceInUse {
  readonly baseUrl: string;
  readonly assemblyUrl: string;
  readonly busUrl: string;
  readonly dataDir: string;
  readonly passwords: { readonly admin: string; readonly dgs: string };
  process(): Pick<Spawned, 'pid' | 'output' | 'running'>;
}

/** A service of one test file, which may end it and start it again. */
export interface Service extends ServiceInUse {
  process(): Spawned;
  /** Sends SIGKILL: the service cannot clean up. */
  kill(): Promise<void>;
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Starts it again on the same ports and data, and waits until it is healthy. */
  start(): Promise<void>;
  /** Waits until it is healthy. @throws Error when it has ended */
  untilHealthy(): Promise<void>;
  /** Starts the service again like `start`, with additional options, and does not wait. */
  launch(more: Launch): void;
}

/** Free ports and a new data directory for a service, and its settings. */
const placeService = async (
  environment: Readonly<Record<string, string>>,
): Promise<Omit<ServiceInUse, 'process'> & { readonly settings: Readonly<Record<string, string>> }> => {
  const dataDir = createDataDir(environment);
  const [port, busPort, assemblyPort] = [await freePort(), await freePort(), await freePort()];
  const settings = {
    FDS_PORT: String(port),
    FDS_PARTS_PORT: String(port),
    FDS_BUS_PORT: String(busPort),
    FDS_ASSEMBLY_PORT: String(assemblyPort),
    FDS_DATA_DIR: dataDir,
    FDS_ADMIN_PASSWORD: firstPasswords.admin,
    FDS_DGS_PASSWORD: firstPasswords.dgs,
    FDS_RATE_LIMIT: '0',
    // no load balancer is in front
    FDS_DRAIN_SECONDS: '0',
    // tests and campaigns of one user send thousands of distinct documents
    FDS_GRAPHQL_PLANNING_MS: '1000',
    ...environment,
  };
  const baseUrl = `http://127.0.0.1:${port}`;
  const assemblyUrl = `http://127.0.0.1:${assemblyPort}`;
  documentAssembly(assemblyUrl, baseUrl);
  const busUrl = `tcp://127.0.0.1:${busPort}`;
  return { baseUrl, assemblyUrl, busUrl, dataDir, passwords: firstPasswords, settings };
};

/**
 * Starts a service on free ports in a new data directory. The leftovers end it.
 *
 * @param environment settings in addition to those of the harness
 * @param preload script that is loaded before each start, from the root of the checkout
 */
export const startService = async (
  leftovers: Leftovers,
  environment: Readonly<Record<string, string>> = {},
  preload?: string,
): Promise<Service> => {
  const { settings, ...place } = await placeService(environment);
  const { dataDir, baseUrl } = place;
  const launch = (more: Launch = {}): Spawned =>
    spawnScript({
      script: serviceScript,
      environment: { ...settings, ...more.environment },
      preload: more.preload ?? preload,
    });
  let current = launch();
  leftovers.add(async () => {
    const code = await current.end('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
    requireNonePrinted(current.output(), firstPasswords);
    if (code !== 0 && code !== null) throw new Error(`the service ended with ${code}:\n${current.output()}`);
  });
  await waitForHealth(baseUrl, current);
  return {
    ...place,
    process: () => current,
    kill: async () => {
      await current.end('SIGKILL');
    },
    stop: () => current.end('SIGTERM'),
    start: async () => {
      current = launch();
      await waitForHealth(baseUrl, current);
    },
    untilHealthy: () => waitForHealth(baseUrl, current),
    launch: (more) => {
      current = launch(more);
    },
  };
};

/** The service that the test files of this worker share. */
let shared: Promise<ServiceInUse> | undefined;

const startShared = async (): Promise<ServiceInUse> => {
  const { settings, ...place } = await placeService({});
  const process = spawnScript({
    script: serviceScript,
    environment: { ...settings, FDS_TEST_REMOVED_FOLDER: place.dataDir },
    preload: 'e2e/dist/harness/end-with-starter.js',
    outputFile: join(place.dataDir, 'output.log'),
  });
  await waitForHealth(place.baseUrl, process);
  return { ...place, process: () => process };
};

/**
 * A running service that other test files of the worker use as well, with the settings of `startService`. It ends with the worker.
 * A file that uses it takes names that no other file uses, and changes nothing that it has not created.
 */
export const shareService = async (): Promise<ServiceInUse> => {
  shared ??= startShared();
  const starting = shared;
  // after a failure, the next file starts another one
  shared = undefined;
  const service = await starting;
  if (!service.process().running) throw new Error(`the shared service ended:\n${service.process().output()}`);
  shared = starting;
  return service;
};
