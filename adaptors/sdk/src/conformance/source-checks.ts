import type { Check } from './check.js';
import { expectEqual, expectThat } from './expect-that.js';
import { CheckSkipped, type World } from './open-world.js';

const started = async (world: World): Promise<void> => {
  if (!world.canChange) throw new CheckSkipped('no --change command is given');
  world.start();
  await world.untilStarted();
};

const reported = (world: World, value: string): boolean =>
  world.hub.heard.events.some(
    ({ event: { json, jsonData } }) =>
      json?.[world.property] === value || jsonData?.includes(JSON.stringify(value)) === true,
  );

const untilReported = (world: World, value: string): Promise<void> =>
  world.until(`the change to ${value} is reported`, () => reported(world, value));

const expectGapless = (world: World): void => {
  const sequences = world.hub.heard.events.map(({ sequence }) => sequence);
  expectEqual(
    'sequences that do not ascend',
    sequences.filter((one, at) => at > 0 && one <= (sequences[at - 1] ?? 0)),
    [],
  );
};

/** Checks of events from the adaptor. */
export const sourceChecks: readonly Check[] = [
  {
    id: 'report',
    clause: 'Sequences, sender',
    level: 'MUST',
    sentence: 'reports changes of its source in one sequence from 1 without gaps',
    run: async (world) => {
      await started(world);
      for (const n of [1, 2, 3]) {
        await world.change('own', `v${n}`);
        await untilReported(world, `v${n}`);
      }
      expectGapless(world);
      expectEqual('faults of its messages', world.hub.heard.faults, []);
    },
  },
  {
    id: 'echo',
    clause: 'fds.data.v1 on up/data',
    level: 'MUST',
    sentence: 'does not report an applied event as its own change, also after a restart',
    run: async (world) => {
      await started(world);
      world.send(world.event('theirs', 'POST', { [world.property]: 'applied' }));
      await world.untilAcknowledged();
      // events that the applied event causes are sent before a later change
      await world.change('own', 'one');
      await untilReported(world, 'one');
      await world.subject.kill();
      await started(world);
      await world.change('own', 'two');
      await untilReported(world, 'two');
      const echoes = world.hub.heard.events.filter(
        ({ event: { json, jsonData, originTransactionUuid } }) =>
          originTransactionUuid === undefined && (jsonData ?? JSON.stringify(json)).includes('"applied"'),
      );
      expectEqual('echoes', echoes.length, 0);
    },
  },
  {
    id: 'resend',
    clause: 'Sequences, sender',
    level: 'MUST',
    sentence: 'keeps unacknowledged events on disk, and sends them again',
    run: async (world) => {
      await started(world);
      world.hub.takesData = false;
      const { sent = 0 } = world.hub.heard.hellos.at(-1) ?? {};
      await world.change('own', 'kept');
      let cutAfter = 0;
      await world.until('the adaptor numbers the event', () => {
        const { hellos } = world.hub.heard;
        if ((hellos.at(-1)?.sent ?? 0) > sent) return true;
        // the next hello names the last assigned number; a connection that ends before that hello would prove nothing
        if (hellos.length > cutAfter) world.hub.disconnect();
        cutAfter = hellos.length;
        return false;
      });
      await world.subject.kill();
      world.hub.takesData = true;
      await started(world);
      await untilReported(world, 'kept');
      expectGapless(world);
    },
  },
  {
    id: 'server-lost-state',
    clause: 'Sequences, epochs',
    level: 'MUST',
    sentence: 'opens a new epoch when the server does not know its own, and numbers unacknowledged events from 1',
    run: async (world) => {
      await started(world);
      await world.change('own', 'before');
      await untilReported(world, 'before');
      const epoch = world.hub.heard.hellos.at(-1)?.sendEpoch;
      const acked = world.hub.heard.events.at(-1)?.sequence ?? 0;
      expectThat('the first event was numbered', acked > 0);
      // the acknowledgement of this change arrives before the connection ends
      await world.change('own', 'between');
      await untilReported(world, 'between');
      world.hub.loseMemory();
      world.hub.disconnect();
      await world.until('a hello with another epoch', () => world.hub.heard.hellos.at(-1)?.sendEpoch !== epoch);
      await world.change('own', 'after');
      await untilReported(world, 'after');
    },
  },
  {
    id: 'server-restored',
    clause: 'Sequences, a restored database',
    level: 'MUST',
    sentence:
      'opens a new epoch when the server is before its acknowledgements, and sends events again with the former transactionUuid',
    run: async (world) => {
      await started(world);
      await world.change('own', 'before');
      await untilReported(world, 'before');
      // the acknowledgement of the first change arrives before the connection ends
      await world.change('own', 'between');
      await untilReported(world, 'between');
      const { events, hellos } = world.hub.heard;
      const epoch = hellos.at(-1)?.sendEpoch;
      const former = new Set(events.map(({ event }) => event.transactionUuid));
      const count = events.length;
      world.hub.goBack();
      world.hub.disconnect();
      await world.until('a hello with another epoch', () => hellos.at(-1)?.sendEpoch !== epoch);
      await world.change('own', 'after');
      await untilReported(world, 'after');
      const again = events.slice(count).filter(({ event: { json, jsonData } }) => {
        const text = jsonData ?? JSON.stringify(json);
        return text.includes('"before"') || text.includes('"between"');
      });
      const fresh = again.filter(({ event }) => !former.has(event.transactionUuid));
      expectEqual('events that came again with another transactionUuid', fresh.length, 0);
    },
  },
  {
    id: 'discovered',
    clause: 'fds.waiting.v1 and fds.discovered.v1 on up/ops',
    level: 'SHOULD',
    sentence:
      'reports its first complete scan in discovery mode once, after the server has acknowledged all its records',
    run: async (world) => {
      if (!world.canChange) throw new CheckSkipped('no --change command is given');
      const { hub } = world;
      const { discovered, events, states } = hub.heard;
      hub.discoveryMode = true;
      hub.startState = 'PAUSE';
      world.start();
      await world.until('the adaptor reports PAUSED', () => states.at(-1)?.state === 'PAUSED');
      for (const id of ['first', 'second']) await world.change(id, id);
      hub.takesData = false;
      hub.startState = 'PLAY';
      hub.operate({ operation: 'PLAY' });
      await world.until('the adaptor sends its records', () => hub.dataDropped > 0);
      // it sends again after a time-out, so a report that does not wait would have arrived by then
      const before = hub.dataDropped;
      hub.disconnect();
      await world.until('the adaptor sends its records again', () => hub.dataDropped > before);
      expectEqual('reports before the acknowledgement of the records', discovered.length, 0);
      hub.takesData = true;
      hub.disconnect();
      await world.until('the report of the scan', () => discovered.length > 0);
      const [{ report, eventsBefore } = { report: undefined, eventsBefore: 0 }] = discovered;
      expectThat('the report counts both records', (report?.records ?? 0) >= 2);
      expectThat('the server had acknowledged both records', eventsBefore >= 2);
      expectEqual(
        'events without the mark of discovery',
        events.filter(({ event }) => event.discovery !== true).length,
        0,
      );
      await world.subject.kill();
      await started(world);
      await world.change('first', 'later');
      await untilReported(world, 'later');
      expectEqual('reports of the scan', discovered.length, 1);
    },
  },
];
