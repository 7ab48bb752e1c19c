import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@fds/testing';
import { allActions } from '../../harness/catalogue.js';
import { freePort } from '../../harness/free-port.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { spawnScript } from '../../harness/spawned.js';
import { discoveredDomain, discoveredVersion } from './discovered-table.js';
import { residentMib } from './resident-memory.js';

/** An event that the hub took. */
interface TakenAt {
  readonly sequence: number;
  /** Time of the machine's monotonic clock. */
  readonly atMs: number;
}

/** A database adaptor in a separate process, with empty state, connected to a hub that only acknowledges. */
export interface Discovery {
  /** When the hub sent START. */
  readonly startedMs: number;
  /** Waits until the hub has taken this event. */
  taken(sequence: number): Promise<TakenAt>;
  /** Resident memory of the adaptor. */
  residentMib(): number;
  /** Ends both processes. */
  close(): Promise<void>;
}

interface Line {
  readonly ready?: boolean;
  readonly startedMs?: number;
  readonly sequence?: number;
  readonly atMs?: number;
}

/**
 * Starts the hub, then the adaptor.
 *
 * @param from number of the first event that the hub reports
 */
export const openDiscovery = async (metadata: object, from: number): Promise<Discovery> => {
  const leftovers = createLeftovers();
  const [adaptorUuid, port] = [randomUUID(), await freePort()];
  const dataDirectory = mkdtempSync(join(tmpdir(), 'fds-discovery-'));
  leftovers.add(() => rmSync(dataDirectory, { recursive: true, force: true }));
  const start = { metadata, capabilities: allActions(discoveredDomain), domainVersions: [discoveredVersion] };
  const hub = spawnScript({
    script: 'e2e/dist/bench/servers/bare-hub.js',
    environment: { PORT: String(port), ADAPTOR_UUID: adaptorUuid, FROM: String(from), START: JSON.stringify(start) },
  });
  leftovers.add(() => hub.end('SIGKILL').then(() => undefined));
  const lines = (): readonly Line[] =>
    hub
      .output()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  const untilTold = <T>(find: (all: readonly Line[]) => T | undefined): Promise<T> =>
    eventually(
      () => {
        const found = find(lines());
        if (found === undefined) throw new Error(`the hub says ${hub.output()}, the adaptor ${adaptor?.output()}`);
        return found;
      },
      { deadlineMs: 120_000, intervalMs: 5 },
    );
  let adaptor: ReturnType<typeof spawnScript> | undefined;
  try {
    await untilTold((all) => all.find(({ ready }) => ready));
    const running = spawnScript({
      script: 'adaptors/database/dist/main.js',
      environment: {
        ADAPTOR_UUID: adaptorUuid,
        CLIENT_ID: adaptorUuid,
        CLIENT_SECRET: 'any',
        MESSAGE_BUS_URL: `tcp://127.0.0.1:${port}`,
        AUTH_SERVER_URL: 'http://127.0.0.1:9',
        PORT: '0',
        DATA_DIRECTORY: dataDirectory,
        LOG_LEVEL: 'WARN',
      },
    });
    adaptor = running;
    leftovers.add(() => running.end('SIGTERM').then(() => undefined));
    const startedMs = await untilTold((all) => all.find((line) => line.startedMs !== undefined)?.startedMs);
    return {
      startedMs,
      taken: (sequence) =>
        untilTold((all) => {
          const atMs = all.find((line) => line.sequence === sequence)?.atMs;
          return atMs === undefined ? undefined : { sequence, atMs };
        }),
      residentMib: () => residentMib(running.pid),
      close: () => leftovers.dispose(),
    };
  } catch (error) {
    await leftovers.dispose();
    throw error;
  }
};
