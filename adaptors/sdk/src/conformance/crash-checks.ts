import type { Check } from './check.js';
import { expectEqual } from './expect-that.js';
import { requireRecords, type World } from './open-world.js';

/** Half of the events are for one record; each of the others has its own record. */
const rounds = 30;
const total = 2 * rounds;

const singles = Array.from({ length: rounds }, (_, index) => `single-${index + 1}`);

/** The moments at which the adaptor is killed. The hub recognises each by a message that it receives or sends. */
const moments: readonly { readonly id: string; readonly when: string; readonly reached: (world: World) => boolean }[] =
  [
    { id: 'starting', when: 'it has reported STARTING', reached: ({ hub }) => hub.heard.states.length > 0 },
    { id: 'hello', when: 'it has said hello', reached: ({ hub }) => hub.heard.hellos.length > 0 },
    {
      id: 'first-acknowledgement',
      when: 'it has acknowledged the first events',
      reached: ({ hub }) => hub.acknowledged > 0,
    },
    { id: 'link', when: 'it has reported a link', reached: ({ hub }) => hub.heard.links.length > 0 },
    {
      id: 'middle',
      when: 'it has acknowledged half of the events',
      reached: ({ hub }) => hub.acknowledged >= total / 2,
    },
    { id: 'end', when: 'it has acknowledged all events', reached: ({ hub }) => hub.acknowledged === total },
  ];

/**
 * kill -9 at each moment: each event takes effect, the last event of each record determines its content, and the
 * positions fit.
 */
export const crashChecks: readonly Check[] = moments.map(({ id, when, reached }) => ({
  id: `crash-${id}`,
  clause: 'Sequences, receiver',
  level: 'MUST',
  sentence: `loses nothing when it is killed after ${when}`,
  run: async (world) => {
    requireRecords(world);
    for (const [index, id] of singles.entries()) {
      const value = String(index + 1);
      world.send(world.event('a', index === 0 ? 'POST' : 'PUT', { [world.property]: value }));
      world.send(world.event(id, 'POST', { [world.property]: value }));
    }
    world.start();
    await world.until(when, () => reached(world));
    await world.subject.kill();
    world.start();
    await world.untilStarted();
    await world.untilAcknowledged();
    const records = await world.readAll(['a', ...singles]);
    const expected = [String(rounds), ...singles.map((_, index) => String(index + 1))];
    expectEqual(
      'the records',
      records.map((record) => record?.[world.property]),
      expected,
    );
  },
}));
