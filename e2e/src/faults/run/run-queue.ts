import { createRandom, eventually } from '@fds/testing';
import { createLeftovers } from '../../harness/leftovers.js';
import { requireStatus, rootZone } from '../../harness/catalogue.js';
import { judgeRun } from '../kills/judge-run.js';
import { openFaultStage, streamName } from '../kills/open-fault-stage.js';
import { untilApplied } from '../kills/run-blows.js';
import { noMischief } from '../wire/meddler.js';
import { residentMib } from '../../measure/resident-memory.js';
import type { FaultArguments } from './read-arguments.js';

/** Result for events that waited for a paused adaptor. */
export interface QueueResult {
  readonly queued: number;
  readonly queueingSeconds: number;
  readonly drainSeconds: number;
  /** Memory of the server process in MiB. */
  readonly memoryBefore: number;
  readonly memoryQueued: number;
  readonly memoryAfter: number;
  readonly lost: number;
  readonly doubled: number;
  readonly inverted: number;
}

/** Pauses a destination, queues events for it, and plays it again. */
export const runQueue = async ({ queued, seed }: FaultArguments): Promise<QueueResult> => {
  const leftovers = createLeftovers();
  try {
    const stage = await openFaultStage(leftovers, {
      broker: 'EMBEDDED',
      mischief: noMischief,
      random: createRandom(seed).next,
      records: 100,
      destinations: 1,
    });
    const { service, ledger, destinations, acknowledged } = stage;
    const [destination] = destinations.values();
    const dgs = await stage.signIn();
    const path = `/zones/${await rootZone(dgs)}/adaptors/${destination?.adaptorUuid}`;
    const patch = async (state: 'PAUSE' | 'PLAY'): Promise<void> => {
      requireStatus(await dgs.rest('PATCH', path, { state }), 200);
    };
    const memory = (): number => Math.round(residentMib(service.process().pid));

    const memoryBefore = memory();
    await patch('PAUSE');
    const startedMs = performance.now();
    ledger.grant(streamName, queued);
    await eventually(
      () => {
        const taken = acknowledged.count();
        if (taken < queued) throw new Error(`${taken} of ${queued} events are acknowledged`);
      },
      { deadlineMs: 60_000 + queued * 10, intervalMs: 100 },
    );
    const playedMs = performance.now();
    const memoryQueued = memory();
    await patch('PLAY');
    await untilApplied(stage, queued);
    const endedMs = performance.now();
    const { lost, doubled, inverted } = await judgeRun(stage);
    return {
      queued,
      queueingSeconds: (playedMs - startedMs) / 1000,
      drainSeconds: (endedMs - playedMs) / 1000,
      memoryBefore,
      memoryQueued,
      memoryAfter: memory(),
      lost,
      doubled,
      inverted,
    };
  } finally {
    await leftovers.dispose();
  }
};
