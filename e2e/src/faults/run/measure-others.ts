import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '@fds/testing';
import { createLeftovers } from '../../harness/leftovers.js';
import { spreadOf, type Spread } from '../../measure/spread.js';
import { hostileMessages } from '../hostile/hostile-messages.js';
import { openHostileAdaptor } from '../hostile/open-hostile-adaptor.js';
import { openFaultStage, streamName, type FaultStage } from '../kills/open-fault-stage.js';
import { untilApplied } from '../kills/run-blows.js';
import { noMischief } from '../wire/meddler.js';
import type { FaultArguments } from './read-arguments.js';

/**
 * Delay of the events of an undisturbed pair, while other adaptors have trouble and while they do not. In milliseconds,
 * from the wire to the effect.
 */
export interface OthersResult {
  readonly rounds: number;
  readonly eventsPerRound: number;
  readonly p99Undisturbed: Spread;
  readonly p99Disturbed: Spread;
  /** Ratio of the rounds: with trouble to without, for p99 and p50. */
  readonly p99Ratio: Spread;
  readonly p50Ratio: Spread;
}

const roundMs = 10_000;
/** Number of events of the pair in a portion. */
const portion = 5;
const portionEveryMs = 50;
/** Interval of the hostile adaptor's messages. */
const poisonEveryMs = 50;

const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

const poison = hostileMessages.filter(({ fate }) => fate === 'ISSUE');

/**
 * The trouble: until the end of the round, one destination of the same events accepts nothing, and an adaptor sends
 * hostile messages.
 */
const makeTrouble = async (stage: FaultStage, adaptor: Awaited<ReturnType<typeof openHostileAdaptor>>) => {
  const goOn = stage.destinations.get('destination-2')?.wire.stall();
  const over = new AbortController();
  const poisoning = (async () => {
    for (let number = 0; !over.signal.aborted; number += 1) {
      const place = adaptor.place();
      await adaptor.say('up/data', poison[number % poison.length]?.write(place) ?? '');
      await adaptor.untilDone(place);
      await delay(poisonEveryMs, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  return async (): Promise<void> => {
    over.abort();
    await poisoning;
    goOn?.();
  };
};

/** After a warm-up, measures rounds without and with trouble in turn. */
export const measureOthers = async ({ rounds, seed }: FaultArguments): Promise<OthersResult> => {
  const leftovers = createLeftovers();
  const sentMs = new Map<string, number>();
  let delays: number[] = [];
  try {
    const stage = await openFaultStage(leftovers, {
      broker: 'EMBEDDED',
      mischief: noMischief,
      random: createRandom(seed).next,
      records: 50,
      destinations: 2,
      onSent: ({ id, n }) => {
        const key = `${id} ${n}`;
        if (!sentMs.has(key)) sentMs.set(key, performance.now());
      },
      onEffect: (destination, { id, n }) => {
        const key = `${id} ${n}`;
        const sent = sentMs.get(key);
        if (destination !== 'destination-1' || sent === undefined) return;
        delays.push(performance.now() - sent);
        sentMs.delete(key);
      },
    });
    const { ledger } = stage;
    const hostile = await openHostileAdaptor(leftovers, stage.brokerUrl, await stage.register('Hostile'));

    const measure = async (): Promise<{ readonly p50: number; readonly p99: number; readonly events: number }> => {
      delays = [];
      const endMs = performance.now() + roundMs;
      while (performance.now() < endMs) {
        ledger.grant(streamName, portion);
        await delay(portionEveryMs);
      }
      return { p50: percentile(delays, 0.5), p99: percentile(delays, 0.99), events: delays.length };
    };
    const measureInTrouble = async () => {
      const over = await makeTrouble(stage, hostile);
      try {
        return await measure();
      } finally {
        await over();
        await untilApplied(stage, ledger.granted(streamName));
      }
    };

    await measure();
    const pairs: { quiet: Awaited<ReturnType<typeof measure>>; troubled: Awaited<ReturnType<typeof measure>> }[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      await untilApplied(stage, ledger.granted(streamName));
      // the order changes from round to round
      const first = round % 2 === 1 ? await measure() : await measureInTrouble();
      await untilApplied(stage, ledger.granted(streamName));
      const then = round % 2 === 1 ? await measureInTrouble() : await measure();
      pairs.push(round % 2 === 1 ? { quiet: first, troubled: then } : { quiet: then, troubled: first });
    }
    return {
      rounds,
      eventsPerRound: Math.round(pairs.reduce((sum, { quiet }) => sum + quiet.events, 0) / rounds),
      p99Undisturbed: spreadOf(pairs.map(({ quiet }) => quiet.p99)),
      p99Disturbed: spreadOf(pairs.map(({ troubled }) => troubled.p99)),
      p99Ratio: spreadOf(pairs.map(({ quiet, troubled }) => troubled.p99 / quiet.p99)),
      p50Ratio: spreadOf(pairs.map(({ quiet, troubled }) => troubled.p50 / quiet.p50)),
    };
  } finally {
    await leftovers.dispose();
  }
};
