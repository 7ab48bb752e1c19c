import { afterEach, describe, expect, it } from '@jest/globals';
import { createRandom } from '@fds/testing';
import { createLeftovers } from '../../harness/leftovers.js';
import { mosquittoMissing } from '../../harness/mosquitto.js';
import { faultless, judgeRun } from './judge-run.js';
import { killableWith, openFaultStage, type BrokerKind } from './open-fault-stage.js';
import { planBlows, type KillKind } from './plan-blows.js';
import { runBlows } from './run-blows.js';

const why = mosquittoMissing === undefined ? '' : ` (skipped: ${mosquittoMissing})`;

describe('a stream of events over an unreliable wire', () => {
  const leftovers = createLeftovers();
  afterEach(() => leftovers.dispose(), 120_000);

  const killOnce = async (broker: BrokerKind, kinds: readonly KillKind[]): Promise<void> => {
    const seed = Number(process.env['FDS_SEED'] ?? 11);
    const random = createRandom(seed).next;
    const blows = planBlows({ kills: kinds.length, kinds, atCrashPoints: 0, disturbed: 0.5, random });
    const stage = await openFaultStage(leftovers, {
      broker,
      mischief: { duplicates: 0.05, losses: 0.0005, swaps: 0.001 },
      random,
      records: 40,
      destinations: 2,
    });
    await runBlows(stage, { events: 1_600, blows }).catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${JSON.stringify(blows)}\n${stage.service.process().output().slice(-3000)}`, {
        cause: error,
      });
    });
    expect({ seed, ...(await judgeRun(stage)) }).toMatchObject({ seed, ...faultless });
  };

  it(
    'loses no event, applies none twice and keeps the order of each record while every process is killed',
    () => killOnce('EMBEDDED', killableWith('EMBEDDED')),
    1_200_000,
  );

  (mosquittoMissing === undefined ? it : it.skip)(
    `is also correct with Mosquitto, which is killed too, and with two servers that share the adaptors${why}`,
    // the processes for which an external broker makes a difference; the long form also kills the others
    () => killOnce('MOSQUITTO', ['SERVER', 'SECOND_SERVER', 'BROKER', 'DESTINATION']),
    1_200_000,
  );
});
