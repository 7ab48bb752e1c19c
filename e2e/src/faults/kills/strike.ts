import { setTimeout as delay } from 'node:timers/promises';
import { postmasterPid, queryEmbeddedDatabase } from '../../harness/embedded-database.js';
import { eventually } from '@fds/testing';
import type { Launch, Spawned } from '../../harness/spawned.js';
import { armedLaunch } from '../crash-points/crash-order.js';
import { crashPoints, type Victim } from '../crash-points/crash-points.js';
import type { FaultStage, Hung } from './open-fault-stage.js';
import type { Blow, Disturbance, KillKind } from './plan-blows.js';

const stallMs = 1_500;

const chosen = ({ destinations }: FaultStage, number: number): Hung => {
  const all = [...destinations.values()];
  const one = all[number % all.length];
  if (one === undefined) throw new RangeError('the stage has no destination');
  return one;
};

const killPostmaster = ({ service }: FaultStage): void => {
  process.kill(postmasterPid(service.dataDir), 'SIGKILL');
};

const backendsOfService = `SELECT pid FROM pg_stat_activity
  WHERE application_name = 'fds' AND pid <> pg_backend_pid() ORDER BY pid`;

/** Kills one of the PostgreSQL processes that serve connections. PostgreSQL then ends all of them and recovers. */
const killBackend = ({ service }: FaultStage, number: number): Promise<void> =>
  eventually(async () => {
    const found = await queryEmbeddedDatabase<{ pid: number }>(service.dataDir, backendsOfService);
    const pid = found[number % Math.max(found.length, 1)]?.pid;
    if (pid === undefined) throw new Error('the service has no connection to its database');
    process.kill(pid, 'SIGKILL');
  });

const restart = async (victim: { kill(): Promise<void>; start(): Promise<void> | void }): Promise<void> => {
  await victim.kill();
  await victim.start();
};

type Killer = (stage: FaultStage, destination: number) => Promise<void>;

const killers: Readonly<Record<KillKind, Killer>> = {
  SERVER: ({ service }) => restart(service),
  SECOND_SERVER: async ({ second }) => {
    if (second !== undefined) await restart(second);
  },
  SOURCE: ({ source }) => restart(source.process),
  DESTINATION: (stage, destination) => restart(chosen(stage, destination).process),
  BROKER: async ({ broker }) => {
    if (broker !== undefined) await restart(broker);
  },
  DATABASE: async (stage) => {
    killPostmaster(stage);
    await stage.service.untilHealthy();
  },
  BACKEND: async (stage, destination) => {
    await killBackend(stage, destination);
    await stage.service.untilHealthy();
  },
  SERVER_AND_DATABASE: async (stage) => {
    await stage.service.kill();
    killPostmaster(stage);
    await stage.service.start();
  },
};

interface Crashing {
  kill(): Promise<void>;
  launch(more: Launch): void;
  process(): Spawned;
  start(): Promise<void> | void;
}

const crashingOf = (stage: FaultStage, victim: Victim, destination: number): Crashing => {
  if (victim === 'server') return stage.service;
  const { process } = victim === 'source' ? stage.source : chosen(stage, destination);
  return { ...process, launch: (more) => process.start(more) };
};

/**
 * Kills a process and starts it so that it dies at the first crash point, then at the second, and so on. After the last
 * one, it starts normally. Traffic must continue in the meantime.
 *
 * @throws Error when a process does not reach its crash point
 */
export const crashAt = async (
  stage: FaultStage,
  victim: Victim,
  deaths: readonly Pick<Extract<Blow['kill'], { readonly kind: 'CRASH_POINT' }>, 'point' | 'time'>[],
  destination = 0,
): Promise<void> => {
  const crashing = crashingOf(stage, victim, destination);
  await crashing.kill();
  for (const { point, time } of deaths) {
    crashing.launch(armedLaunch(point, time));
    const armed = crashing.process();
    await eventually(
      () => {
        if (armed.running) throw new Error(`the process does not reach "${point}" ${time} times:\n${armed.output()}`);
      },
      { deadlineMs: 120_000, intervalMs: 10 },
    );
  }
  await crashing.start();
};

/**
 * Stops the second server in the meantime: otherwise it would serve the adaptors, and the first one would not reach its
 * crash point.
 */
const crashAlone = async (
  stage: FaultStage,
  death: Extract<Blow['kill'], { readonly kind: 'CRASH_POINT' }>,
  destination: number,
): Promise<void> => {
  const { victim } = crashPoints[death.point];
  const away = victim === 'server' ? stage.second : undefined;
  await away?.kill();
  await crashAt(stage, victim, [death], destination);
  await away?.start();
};

const disturb: Readonly<Record<Disturbance, (hung: Hung) => Promise<void>>> = {
  CUT: async ({ wire }) => wire.cut(),
  HALF_OPEN: async ({ wire }) => wire.halfOpen(),
  STALL: async ({ wire }) => {
    const goOn = wire.stall();
    await delay(stallMs);
    goOn();
  },
};

/** Kills or disturbs, and restarts what was killed. */
export const strike = async (stage: FaultStage, { kill, disturbance, destination }: Blow): Promise<void> => {
  const disturbed =
    disturbance === undefined ? Promise.resolve() : disturb[disturbance](chosen(stage, destination + 1));
  if (kill.kind === 'CRASH_POINT') await crashAlone(stage, kill, destination);
  else await killers[kill.kind](stage, destination);
  await disturbed;
};
