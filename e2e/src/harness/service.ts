import { rmSync } from 'node:fs';
import { documentAssembly } from './contract/hold-to-contract.js';
import { createDataDir } from './create-data-dir.js';
import { firstPasswords } from './first-passwords.js';
import { freePort } from './free-port.js';
import type { Leftovers } from './leftovers.js';
import { requireNonePrinted } from './printed-secrets.js';
import { serviceScript, spawnScript, type Launch, type Spawned } from './spawned.js';
import { waitForHealth } from './wait-for-health.js';

/** A running service with its own embedded database and broker. */
export interface Service {
  readonly baseUrl: string;
  readonly assemblyUrl: string;
  readonly busUrl: string;
  readonly dataDir: string;
  readonly passwords: { readonly admin: string; readonly dgs: string };
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
    // tests and campaigns of one user send thousands of distinct documents
    FDS_GRAPHQL_PLANNING_MS: '1000',
    ...environment,
  };
  const baseUrl = `http://127.0.0.1:${port}`;
  const assemblyUrl = `http://127.0.0.1:${assemblyPort}`;
  documentAssembly(assemblyUrl, baseUrl);
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
    baseUrl,
    assemblyUrl,
    busUrl: `tcp://127.0.0.1:${busPort}`,
    dataDir,
    passwords: firstPasswords,
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
