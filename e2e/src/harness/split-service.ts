import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@fds/testing';
import { request } from 'undici';
import { documentAssembly } from './contract/hold-to-contract.js';
import { freePort } from './free-port.js';
import type { Leftovers } from './leftovers.js';
import { mosquittoSettings, type Mosquitto } from './mosquitto.js';
import { requireNonePrinted } from './printed-secrets.js';
import { serviceScript, spawnScript, type Spawned } from './spawned.js';

/** One process of a split service. */
interface ServiceProcess {
  /** Value of `FDS_PARTS`. */
  readonly parts: string;
  readonly url: string;
  process(): Spawned;
  /** Sends SIGKILL, and starts another process with the same settings and data. */
  replace(): Promise<void>;
  /**
   * Sends SIGTERM, and starts another process with the same settings and data. Resolves with the code of the end.
   *
   * @param meanwhile runs while no process runs
   */
  restart(meanwhile?: () => Promise<void>): Promise<number | null>;
}

/** A service whose gateway, catalog and records run in separate processes. */
export interface SplitService {
  readonly baseUrl: string;
  readonly assemblyUrl: string;
  readonly busUrl: string;
  readonly passwords: { readonly admin: string; readonly dgs: string };
  readonly processes: readonly ServiceProcess[];
}

const untilUp = ({ parts, url, process: current }: Pick<ServiceProcess, 'parts' | 'url' | 'process'>): Promise<void> =>
  eventually(
    async () => {
      const process = current();
      if (!process.running) throw new Error(`the process of ${parts} ended:\n${process.output()}`);
      const { statusCode, body } = await request(`${url}/health`);
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`health of ${parts}: ${statusCode} ${text}\n${process.output()}`);
    },
    { deadlineMs: 60_000 },
  );

const passwords = { admin: 'admin-password-of-the-journey', dgs: 'dgs-password-of-the-journey' };

const sharedSettings = (baseUrl: string, databaseUrl: string, broker: Mosquitto): Readonly<Record<string, string>> => ({
  FDS_BASE_URL: baseUrl,
  FDS_DATABASE_URL: databaseUrl,
  FDS_DATABASE_CONNECTIONS: '5',
  FDS_SECRET_KEY: Buffer.alloc(32, 'key of the journey').toString('base64'),
  FDS_ADMIN_PASSWORD: passwords.admin,
  FDS_DGS_PASSWORD: passwords.dgs,
  FDS_DRAIN_SECONDS: '0',
  // receivers of tests are on this machine
  FDS_WEBHOOK_ALLOW_PRIVATE: 'true',
  ...mosquittoSettings(broker),
});

type LaunchPart = (parts: string, url: string, environment: Readonly<Record<string, string>>) => ServiceProcess;

/** Launches processes with the shared settings, each with its own data directory; they end with the leftovers. */
const partLauncher =
  (leftovers: Leftovers, shared: Readonly<Record<string, string>>): LaunchPart =>
  (parts, url, environment) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'fds-e2e-part-'));
    const spawn = (): Spawned =>
      spawnScript({
        script: serviceScript,
        environment: { ...shared, FDS_PARTS: parts, FDS_DATA_DIR: dataDir, ...environment },
      });
    let current = spawn();
    leftovers.add(async () => {
      await current.end('SIGTERM');
      rmSync(dataDir, { recursive: true, force: true });
      requireNonePrinted(current.output(), passwords);
    });
    const process = (): Spawned => current;
    const restart = async (
      signal: 'SIGTERM' | 'SIGKILL',
      meanwhile: () => Promise<void> = () => Promise.resolve(),
    ): Promise<number | null> => {
      const code = await current.end(signal);
      await meanwhile();
      current = spawn();
      await untilUp({ parts, url, process });
      return code;
    };
    return {
      parts,
      url,
      process,
      replace: async () => {
        await restart('SIGKILL');
      },
      restart: (meanwhile) => restart('SIGTERM', meanwhile),
    };
  };
/**
 * Starts three processes at once on one database and one broker: gateway; catalog and governance; records and assembly.
 * Each has its own data directory, as on separate machines, so they share only the services that the settings name.
 */
export const startSplitService = async (
  leftovers: Leftovers,
  { databaseUrl, broker }: { readonly databaseUrl: string; readonly broker: Mosquitto },
): Promise<SplitService> => {
  const [port, assemblyPort, catalogPort, recordsPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const [baseUrl, catalogUrl, recordsUrl] = [port, catalogPort, recordsPort].map((at) => `http://127.0.0.1:${at}`) as [
    string,
    string,
    string,
  ];
  const launch = partLauncher(leftovers, sharedSettings(baseUrl, databaseUrl, broker));
  const processes = [
    launch('catalog,governance,notifications', catalogUrl, { FDS_PARTS_PORT: String(catalogPort) }),
    launch('records,assembly', recordsUrl, {
      FDS_PARTS_PORT: String(recordsPort),
      FDS_ASSEMBLY_PORT: String(assemblyPort),
    }),
    launch('gateway', baseUrl, {
      FDS_PORT: String(port),
      FDS_ASSEMBLY_PORT: String(assemblyPort),
      FDS_CATALOG_URL: `${catalogUrl}/catalog`,
      FDS_GOVERNANCE_URL: `${catalogUrl}/governance`,
      FDS_RECORDS_URL: `${recordsUrl}/records`,
      FDS_ASSEMBLY_URL: `${recordsUrl}/assembly`,
      FDS_NOTIFICATIONS_URL: `${catalogUrl}/notifications`,
    }),
  ];
  for (const process of processes) await untilUp(process);
  return { baseUrl, assemblyUrl: `http://127.0.0.1:${assemblyPort}`, busUrl: broker.url, passwords, processes };
};

/** A service with one process for everything except assembly, and two assembly processes. */
export interface AssemblyCut {
  readonly baseUrl: string;
  /** The address of the first assembly process. */
  readonly assemblyUrl: string;
  readonly busUrl: string;
  readonly passwords: SplitService['passwords'];
  readonly server: ServiceProcess;
  /** Each serves `POST /request` at its `assemblyUrl`. */
  readonly assemblies: readonly (ServiceProcess & { readonly assemblyUrl: string })[];
}

/** Starts the server, then two processes of the part assembly, on one database and one broker. */
export const startAssemblyCut = async (
  leftovers: Leftovers,
  { databaseUrl, broker }: { readonly databaseUrl: string; readonly broker: Mosquitto },
): Promise<AssemblyCut> => {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const launch = partLauncher(leftovers, sharedSettings(baseUrl, databaseUrl, broker));
  const ports = [
    [await freePort(), await freePort()],
    [await freePort(), await freePort()],
  ] as const;
  const server = launch('gateway,catalog,governance,records,notifications', baseUrl, {
    FDS_PORT: String(port),
    FDS_ASSEMBLY_BASE_URL: `http://127.0.0.1:${ports[0][0]}`,
  });
  const assemblies = ports.map(([assemblyPort, partsPort]) => {
    const assemblyUrl = `http://127.0.0.1:${assemblyPort}`;
    documentAssembly(assemblyUrl, baseUrl);
    const settings = { FDS_ASSEMBLY_PORT: String(assemblyPort), FDS_PARTS_PORT: String(partsPort) };
    return { ...launch('assembly', assemblyUrl, settings), assemblyUrl };
  });
  for (const process of [server, ...assemblies]) await untilUp(process);
  const assemblyUrl = `http://127.0.0.1:${ports[0][0]}`;
  return { baseUrl, assemblyUrl, busUrl: broker.url, passwords, server, assemblies };
};

/** Servers with all parts, on one database and one broker. */
export interface Replicas {
  readonly servers: readonly ServiceProcess[];
  /** The address of the first server. */
  readonly assemblyUrl: string;
  readonly passwords: SplitService['passwords'];
}

/**
 * Starts servers with all parts, one after the other.
 *
 * @param baseUrl address of the load balancer in front of them
 * @param ports of the servers
 */
export const startReplicas = async (
  leftovers: Leftovers,
  ports: readonly number[],
  options: { readonly databaseUrl: string; readonly broker: Mosquitto; readonly baseUrl: string },
  environment: Readonly<Record<string, string>>,
): Promise<Replicas> => {
  const shared = sharedSettings(options.baseUrl, options.databaseUrl, options.broker);
  const launch = partLauncher(leftovers, { ...shared, ...environment });
  const servers: ServiceProcess[] = [];
  const assemblyPorts = await Promise.all(ports.map(freePort));
  for (const [index, port] of ports.entries()) {
    const server = launch('gateway,catalog,governance,records,assembly,notifications', `http://127.0.0.1:${port}`, {
      FDS_PORT: String(port),
      FDS_ASSEMBLY_PORT: String(assemblyPorts[index]),
    });
    servers.push(server);
    await untilUp(server);
  }
  return { servers, assemblyUrl: `http://127.0.0.1:${assemblyPorts[0]}`, passwords };
};
