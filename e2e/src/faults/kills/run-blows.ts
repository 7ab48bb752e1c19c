import { eventually } from '@fds/testing';
import { streamName, type FaultStage } from './open-fault-stage.js';
import type { Blow } from './plan-blows.js';
import { strike } from './strike.js';

export interface BlowsOptions {
  readonly events: number;
  readonly blows: readonly Blow[];
  /** Called after each blow. */
  readonly onBlow?: (done: number, blow: Blow) => void;
}

/**
 * Number of distinct effects. Repeated effects are not progress: otherwise missing effects would only be noticed at the
 * end.
 */
const effectsIn = ({ ledger }: FaultStage, name: string): number => {
  const { applied, doubled } = ledger.destination(name);
  return applied - doubled;
};

const slowest = (stage: FaultStage): number =>
  Math.min(...[...stage.destinations.keys()].map((name) => effectsIn(stage, name)));

const lookEveryMs = 100;

/**
 * Waits until the slowest destination has this number of effects. @throws Error when there is no progress for two
 * minutes
 */
export const untilApplied = async (stage: FaultStage, events: number): Promise<void> => {
  for (let applied = slowest(stage); applied < events; applied = slowest(stage)) {
    await eventually(
      () => {
        if (slowest(stage) === applied)
          throw new Error(`${applied} of ${events} events are applied in the slowest destination, and nothing moves`);
      },
      { deadlineMs: 120_000, intervalMs: 10 },
    );
  }
};

/** Does the work while events are in flight: grants `share` more events whenever all have taken effect. */
export const underTraffic = async (stage: FaultStage, share: number, work: () => Promise<void>): Promise<void> => {
  const { ledger } = stage;
  const grantMore = (): void => {
    if (slowest(stage) >= ledger.granted(streamName)) ledger.grant(streamName, share);
  };
  grantMore();
  const timer = setInterval(grantMore, lookEveryMs);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
};

/**
 * Lets the source publish, kills processes meanwhile, and waits until everything has arrived: at least `events` events,
 * or more if a crash point was reached late.
 *
 * @throws Error when there is no more progress
 */
export const runBlows = async (stage: FaultStage, { events, blows, onBlow }: BlowsOptions): Promise<void> => {
  const { ledger } = stage;
  const share = Math.max(1, Math.floor(events / (blows.length + 1)));
  const grantUpto = (upto: number): void => {
    const granted = ledger.granted(streamName);
    if (upto > granted) ledger.grant(streamName, upto - granted);
  };
  for (const [index, blow] of blows.entries()) {
    grantUpto((index + 1) * share);
    await untilApplied(stage, Math.floor((index + blow.after) * share));
    // events must be in flight during every blow, because a crash point is only reached while there is traffic
    grantUpto((index + 1) * share + Math.ceil(share / 2));
    if (blow.kill.kind === 'CRASH_POINT') await underTraffic(stage, Math.ceil(share / 4), () => strike(stage, blow));
    else await strike(stage, blow);
    onBlow?.(index + 1, blow);
  }
  grantUpto(events);
  await untilApplied(stage, ledger.granted(streamName));
};
