import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@fds/testing';
import { allActions } from '../../harness/catalogue.js';
import { freePort } from '../../harness/free-port.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { spawnScript } from '../../harness/spawned.js';
import { residentMib } from '../../measure/resident-memory.js';

/** An event that the hub received. */
interface TakenAt {
  readonly sequence: number;
  /** Time of the machine's monotonic clock. */
  readonly atMs: number;
}

/** An adaptor in a separate process, with empty state, connected to a hub that only acknowledges and sends. */
export interface BareAdaptor {
  /** Time at which the hub sent START. */
  readonly startedMs: number;
  /** Waits until the hub has received this event. */
  taken(sequence: number): Promise<TakenAt>;
  /** Waits until every incoming event of a phase is acknowledged. @returns milliseconds since the first one was sent */
  applied(phase: number): Promise<number>;
  /** Resident memory of the adaptor. */
  residentMib(): number;
  /** Ends both processes. */
  close(): Promise<void>;
}

/** Options of the adaptor's start. */
export interface BareStart {
  /** Script of the adaptor, from the root of the checkout. */
  readonly script: string;
  readonly metadata: object;
  readonly domainVersion: { readonly domain: string; readonly domainVersionUuid: string };
  /** Number of the first event of the adaptor that the hub reports. */
  readonly from: number;
  /** Events that the hub sends, phase by phase; bare-hub.ts describes the placeholders in `data`. */
  readonly incoming?: readonly { readonly count: number; readonly data: object }[];
}

interface Line {
  readonly ready?: boolean;
  readonly startedMs?: number;
  readonly phase?: number;
  readonly sendingMs?: number;
  readonly appliedMs?: number;
  readonly sequence?: number;
  readonly atMs?: number;
  readonly error?: string;
}

/** Starts the hub, then the adaptor. */
export const openBareAdaptor = async (start: BareStart): Promise<BareAdaptor> => {
  const leftovers = createLeftovers();
  const [adaptorUuid, port] = [randomUUID(), await freePort()];
  const dataDirectory = mkdtempSync(join(tmpdir(), 'fds-bare-adaptor-'));
  leftovers.add(() => rmSync(dataDirectory, { recursive: true, force: true }));
  const { metadata, domainVersion, incoming } = start;
  const hub = spawnScript({
    script: 'e2e/dist/bench/servers/bare-hub.js',
    environment: {
      PORT: String(port),
      ADAPTOR_UUID: adaptorUuid,
      FROM: String(start.from),
      START: JSON.stringify({
        metadata,
        capabilities: allActions(domainVersion.domain),
        domainVersions: [domainVersion],
      }),
      ...(incoming === undefined
        ? {}
        : { INCOMING: JSON.stringify(incoming.map(({ count, data }) => ({ count, data: JSON.stringify(data) }))) }),
    },
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
      script: start.script,
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
      applied: async (phase) => {
        const appliedMs = await untilTold(
          (all) => all.find((line) => line.phase === phase && line.appliedMs !== undefined)?.appliedMs,
        );
        const refused = lines().find(({ error }) => error !== undefined);
        if (refused !== undefined) throw new Error(`an event was not applied: ${refused.error}`);
        return (
          appliedMs - (lines().find((line) => line.phase === phase && line.sendingMs !== undefined)?.sendingMs ?? NaN)
        );
      },
      residentMib: () => residentMib(running.pid),
      close: () => leftovers.dispose(),
    };
  } catch (error) {
    await leftovers.dispose();
    throw error;
  }
};
