import { createRandom } from '@fds/testing';
import { createLeftovers } from '../../harness/leftovers.js';
import { judgeRun, type RunCounts } from '../kills/judge-run.js';
import { killableWith, openFaultStage, type FaultStage } from '../kills/open-fault-stage.js';
import { planBlows, type Blow } from '../kills/plan-blows.js';
import { runBlows } from '../kills/run-blows.js';
import type { MischiefCounts } from '../wire/meddler.js';
import type { FaultArguments } from './read-arguments.js';

/** Result of a stream during kills. */
export interface StreamResult extends RunCounts {
  readonly seconds: number;
  /** By kind of kill; kills at crash points also by the name of the point. */
  readonly kills: Readonly<Record<string, number>>;
  /** Disturbances of single messages on all wires. */
  readonly mischief: MischiefCounts;
  /** Disturbances of whole wires. */
  readonly disturbances: Readonly<Record<string, number>>;
  /** The reason why the run did not finish. */
  readonly failure?: string;
}

/**
 * 5 % duplicates, as the trust table requires. A gap costs up to a second, because a receiver may not request a resend
 * more often.
 */
const mischief = { duplicates: 0.05, losses: 0.00005, swaps: 0.0002 };

const countBy = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

const mischiefOf = ({ source, destinations }: FaultStage): MischiefCounts => {
  const sum = { duplicates: 0, losses: 0, swaps: 0 };
  for (const { wire } of [source, ...destinations.values()]) {
    sum.duplicates += wire.counts.duplicates;
    sum.losses += wire.counts.losses;
    sum.swaps += wire.counts.swaps;
  }
  return sum;
};

/** Runs the stream. The result includes events that the service loses or doubles, and a run that does not finish. */
export const runStream = async (wanted: FaultArguments): Promise<StreamResult> => {
  const random = createRandom(wanted.seed).next;
  const kinds = killableWith(wanted.broker);
  const blows = planBlows({ kills: wanted.kills, kinds, atCrashPoints: 0.5, disturbed: 0.2, random });
  const leftovers = createLeftovers();
  const done: Blow[] = [];
  const startedMs = performance.now();
  try {
    const { broker } = wanted;
    const stage = await openFaultStage(leftovers, { broker, mischief, random, records: 100, destinations: 2 });
    let failure: string | undefined;
    const onBlow = (count: number, blow: Blow): void => {
      done.push(blow);
      const seconds = Math.round((performance.now() - startedMs) / 1000);
      const what = blow.kill.kind === 'CRASH_POINT' ? blow.kill.point : blow.kill.kind;
      console.error(`  ${seconds} s: kill ${count} of ${blows.length}, ${what}`);
    };
    await runBlows(stage, { events: wanted.events, blows, onBlow }).catch((error: unknown) => {
      failure = error instanceof Error ? error.message : String(error);
    });
    return {
      ...(await judgeRun(stage)),
      seconds: Math.round((performance.now() - startedMs) / 1000),
      kills: countBy(done.flatMap(({ kill }) => (kill.kind === 'CRASH_POINT' ? [kill.kind, kill.point] : [kill.kind]))),
      mischief: mischiefOf(stage),
      disturbances: countBy(done.flatMap(({ disturbance }) => disturbance ?? [])),
      ...(failure === undefined ? {} : { failure }),
    };
  } finally {
    await leftovers.dispose();
  }
};
