import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@fds/testing';
import { request } from 'undici';
import { createLeftovers } from '../../harness/leftovers.js';
import { compare, interleaved } from '../interleaved.js';
import { percentile } from '../percentile.js';
import type { Row } from '../row.js';
import { openWebhookLoops } from '../servers/webhook-loops.js';
import { startComparator } from '../stage/start-comparator.js';

const rounds = 5;
const sends = 4_000;
/** Number of sends that is enough for a p99. */
const sendsBesideDead = 10_000;
/** Pause for connections to end. */
const restMs = 200;

/** Waits until requests to the dead receiver are in flight. */
const untilReached = (origin: string): Promise<void> =>
  eventually(async () => {
    const { body } = await request(`${origin}/count`);
    const { underWay } = (await body.json()) as { underWay: number };
    if (underWay < 8) throw new Error(`${underWay} requests are under way`);
  });

/** Row 14: signed sends of the service's sender, and the effect of a receiver that never answers on other receivers. */
export const webhookSends: Row = {
  id: 14,
  what: 'Webhook sends with signature',
  comparedWith: 'bare keep-alive POST loop',
  figures: [
    { name: '', unit: 'ratio', better: 'higher', goal: 0.5, stretch: 0.75 },
    { name: 'p99 with a dead receiver', unit: 'ratio', better: 'lower', goal: 1.2, stretch: 1.1 },
  ],
  run: async (signal) => {
    const leftovers = createLeftovers();
    try {
      const [origin, deadOrigin] = [
        await startComparator(leftovers, 'bare-webhook-receiver', {}),
        await startComparator(leftovers, 'bare-webhook-receiver', {}),
      ];
      const loops = openWebhookLoops(origin);
      leftovers.add(() => loops.close());
      const url = `${origin}/hook`;
      const perSecond = async (send: typeof loops.signed): Promise<number> => {
        signal.throwIfAborted();
        const from = performance.now();
        await send(url, sends);
        return (sends * 1000) / (performance.now() - from);
      };
      const speed = compare(
        await interleaved({ rounds, subject: () => perSecond(loops.signed), floor: () => perSecond(loops.bare) }),
      );
      const p99 = async (): Promise<number> => {
        signal.throwIfAborted();
        return percentile(await loops.signed(url, sendsBesideDead), 99);
      };
      const isolation = compare(
        await interleaved({
          rounds,
          subject: async () => {
            const end = loops.bother(`${deadOrigin}/dead`);
            try {
              await untilReached(deadOrigin);
              return await p99();
            } finally {
              await end();
              await delay(restMs);
            }
          },
          floor: p99,
        }),
      );
      const { body } = await request(`${origin}/count`);
      const { accepted, signed } = (await body.json()) as { accepted: number; signed: number };
      const each = (rounds + 1) * sends;
      const expected = {
        accepted: 2 * each + 2 * (rounds + 1) * sendsBesideDead,
        signed: each + 2 * (rounds + 1) * sendsBesideDead,
      };
      if (accepted !== expected.accepted || signed !== expected.signed) {
        throw new Error(
          `${accepted} were accepted and ${signed} signed, not ${expected.accepted} and ${expected.signed}`,
        );
      }
      return {
        values: { '': speed.ratio, 'p99 with a dead receiver': isolation.ratio },
        notes: [
          `${speed.subject.median.toFixed(0)} signed sends/s, bare ${speed.floor.median.toFixed(0)}/s; 8 at a time, ${rounds} rounds of ${sends}`,
          `p99 ${isolation.subject.median.toFixed(1)} ms with a dead receiver and 32 sends in flight, ${isolation.floor.median.toFixed(1)} ms without`,
        ],
      };
    } finally {
      await leftovers.dispose();
    }
  },
};
