import { clientIdOf } from '@fds/adaptor-protocol';
import { eventually } from '@fds/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { createAdaptor, rootZone } from '../../harness/catalogue.js';
import { freePort } from '../../harness/free-port.js';
import { serviceScript, spawnScript } from '../../harness/spawned.js';
import { compare, interleaved } from '../interleaved.js';
import type { Row } from '../row.js';
import { createTwinDatabase } from '../stage/create-twin-database.js';
import { onStage, type Stage } from '../stage/open-stage.js';
import { postgresMib, residentMib } from '../../measure/resident-memory.js';

const rounds = 5;
const settleMs = 2_000;

interface Start {
  readonly startMs: number;
  readonly idleMib: number;
}

/** Starts a process, waits until it is healthy, lets it idle, and ends it. */
const startOnce = async (
  script: string,
  environment: Readonly<Record<string, string>>,
  port: number,
): Promise<Start> => {
  const startedMs = performance.now();
  const spawned = spawnScript({ script, environment });
  try {
    await eventually(
      async () => {
        if (!spawned.running) throw new Error(`${script} ended:\n${spawned.output()}`);
        const { statusCode, body } = await request(`http://127.0.0.1:${port}/health`);
        await body.dump();
        if (statusCode !== 200) throw new Error(`${script}: health answers ${statusCode}`);
      },
      { intervalMs: 5 },
    );
    const startMs = performance.now() - startedMs;
    await delay(settleMs);
    return { startMs, idleMib: residentMib(spawned.pid) };
  } finally {
    await spawned.end('SIGTERM');
  }
};

/** The service with a database that is already running, like the bare process. */
const serviceStarter = async ({ leftovers, databaseUrl }: Stage): Promise<() => Promise<Start>> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'fds-bench-'));
  leftovers.add(() => rmSync(dataDir, { recursive: true, force: true }));
  const twinUrl = await createTwinDatabase(databaseUrl);
  const port = await freePort();
  const environment = {
    FDS_PORT: String(port),
    FDS_BUS_PORT: '0',
    FDS_ASSEMBLY_PORT: '0',
    FDS_DATA_DIR: dataDir,
    FDS_DATABASE_URL: twinUrl,
  };
  return () => startOnce(serviceScript, environment, port);
};

const bareStarter = async ({ steward, service, databaseUrl }: Stage): Promise<() => Promise<Start>> => {
  const adaptor = await createAdaptor(steward, await rootZone(steward), { name: 'Bare', capabilities: [] });
  const port = await freePort();
  const environment = {
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    BUS_URL: service.busUrl,
    BUS_CLIENT_ID: clientIdOf(adaptor.uuid, 'ops'),
    BUS_USERNAME: adaptor.clientId,
    BUS_PASSWORD: adaptor.clientSecret,
  };
  return () => startOnce('e2e/dist/bench/servers/bare-process.js', environment, port);
};

/** The service as it ships, with the PostgreSQL that it starts itself. */
const describeWhole = async ({ service }: Stage): Promise<string> => {
  await service.stop();
  const startedMs = performance.now();
  await service.start();
  const startMs = performance.now() - startedMs;
  await delay(settleMs);
  const own = residentMib(service.process().pid);
  return (
    `with the PostgreSQL that it starts itself: healthy after ${Math.round(startMs)} ms, ` +
    `${Math.round(own)} MiB and ${Math.round(postgresMib(service.dataDir))} MiB of PostgreSQL`
  );
};

export const idleAndColdStart: Row = {
  id: 18,
  what: 'Server',
  comparedWith: 'bare Node + pg + mqtt',
  figures: [
    { name: 'idle memory', unit: 'ratio', better: 'lower', goal: 1.5, stretch: 1.3 },
    { name: 'cold start to healthy', unit: 'ratio', better: 'lower', goal: 2.5, stretch: 2 },
  ],
  run: (signal) =>
    onStage(signal, async (stage) => {
      const [subject, floor] = [await serviceStarter(stage), await bareStarter(stage)];
      const starts = await interleaved({ rounds, subject, floor });
      const pick = (read: (start: Start) => number) =>
        compare(starts.map((round) => ({ subject: read(round.subject), floor: read(round.floor) })));
      const [memory, start] = [pick(({ idleMib }) => idleMib), pick(({ startMs }) => startMs)];
      return {
        values: { 'idle memory': memory.ratio, 'cold start to healthy': start.ratio },
        notes: [
          `${Math.round(memory.subject.median)} MiB against ${Math.round(memory.floor.median)}, ` +
            `${Math.round(start.subject.median)} ms against ${Math.round(start.floor.median)}; ` +
            `${rounds} starts each, database initialised and running`,
          await describeWhole(stage),
        ],
      };
    }),
};
