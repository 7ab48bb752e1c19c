import { afterEach, describe, expect, it } from '@jest/globals';
import { createRandom } from '@fds/testing';
import { createLeftovers } from '../../harness/leftovers.js';
import { crashPoints, crashPointsOf, type CrashPointName, type Victim } from '../crash-points/crash-points.js';
import { faultless, judgeRun } from './judge-run.js';
import { openFaultStage, streamName } from './open-fault-stage.js';
import { underTraffic, untilApplied } from './run-blows.js';
import { crashAt } from './strike.js';

/** The crash points of the short form: one for each promise that a process has already given when it dies. */
const briefly: readonly CrashPointName[] = [
  'after the journal has the event',
  'before the hello is stored',
  'after the commit, before the acknowledgement',
  'after the effect, before its position is stored',
];
const all = process.env['FDS_TEST_FAULTS'] === 'all';
const pointsOf = (victim: Victim): readonly CrashPointName[] =>
  crashPointsOf(victim).filter((name) => all || briefly.includes(name));

const victims: readonly Victim[] = ['source', 'destination', 'server'];

describe('a stream of events', () => {
  const leftovers = createLeftovers();
  afterEach(() => leftovers.dispose(), 120_000);

  it(`survives a kill of server and adaptors at ${all ? 'every named crash point' : 'the most important crash points'}`, async () => {
    const random = createRandom(Number(process.env['FDS_SEED'] ?? 5)).next;
    const stage = await openFaultStage(leftovers, {
      broker: 'EMBEDDED',
      // shares of messages; the source sends few messages, because each has a batch of events
      mischief: { duplicates: 0.25, losses: 0, swaps: 0 },
      random,
      records: 40,
      destinations: 1,
    });
    const deaths = (victim: Victim) =>
      pointsOf(victim).map((point) => ({ point, time: 1 + Math.floor(random() * crashPoints[point].latest) }));
    await underTraffic(stage, 200, async () => {
      for (const victim of victims) await crashAt(stage, victim, deaths(victim));
    });
    const events = stage.ledger.granted(streamName);
    await untilApplied(stage, events);
    expect(await judgeRun(stage)).toMatchObject({ published: events, ...faultless });
    expect(stage.source.wire.counts.duplicates).toBeGreaterThan(0);
  }, 1_200_000);
});
