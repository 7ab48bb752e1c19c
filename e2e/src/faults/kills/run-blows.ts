import { eventually } from '@fds/testing';
import { streamName, type FaultStage } from './open-fault-stage.js';
import type { Blow } from './plan-blows.js';
import { strike } from './strike.js';

export interface BlowsOptions {
  readonly events: number;
  readonly blows: readonly Blow[];
  /** Told after each blow. */
  readonly onBlow?: (done: number, blow: Blow) => void;
}

/** Effects that came twice are not progress: what they stand for would be missed at the end. */
const effectsIn = ({ ledger }: FaultStage, name: string): number => {
  const { applied, doubled } = ledger.destination(name);
  return applied - doubled;
};

const slowest = (stage: FaultStage): number =>
  Math.min(...[...stage.destinations.keys()].map((name) => effectsIn(stage, name)));

const lookEveryMs = 100;

/** Waits until the slowest destination has so many effects. @throws Error when nothing moves for two minutes */
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

/** Does something while events are under way: `share` more whenever all have taken effect. */
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
 * Lets the source publish, strikes in the middle of it, and waits until everything has arrived: at least `events`, more
 * where a crash point took longer to come to.
 *
 * @throws Error when nothing moves any longer
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
    // something goes on during every blow; a crash point is come to only as long as there is traffic
    grantUpto((index + 1) * share + Math.ceil(share / 2));
    if (blow.kill.kind === 'CRASH_POINT') await underTraffic(stage, Math.ceil(share / 4), () => strike(stage, blow));
    else await strike(stage, blow);
    onBlow?.(index + 1, blow);
  }
  grantUpto(events);
  await untilApplied(stage, ledger.granted(streamName));
};
