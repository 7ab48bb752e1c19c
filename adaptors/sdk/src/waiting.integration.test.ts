import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventWindow, type WaitingReport } from '@fds/adaptor-protocol';
import { type AdaptorHandlers, ApplyError, type IncomingEvent } from './handlers.js';
import { openJournal } from './journal/open-journal.js';
import { type AdaptorWorld, openAdaptorWorld } from './testing/adaptor-world.js';
import { eventually } from './testing/eventually.js';

let world: AdaptorWorld;
/** `n` of each applied event, and of each attempt of an event that had to wait. */
let applied: number[];
let refused: number[];
/** The tables that are locked. */
let locked: Set<string>;

beforeEach(async () => {
  world = await openAdaptorWorld();
  [applied, refused, locked] = [[], [], new Set()];
});
afterEach(() => world.close());

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const numberOf = ({ json }: IncomingEvent): number => Number(json['n']);

/** A system with a table for each domain. An attempt on a locked table takes `lockTimeoutMs`. */
const system = (lockTimeoutMs = 0): AdaptorHandlers => ({
  apply: async (event) => {
    await new Promise(setImmediate);
    if (locked.has(event.domain)) {
      refused.push(numberOf(event));
      if (lockTimeoutMs > 0) await sleep(lockTimeoutMs);
      throw new ApplyError(`table ${event.domain} is locked`, { retry: 'UNTIL_IT_WORKS', waitsFor: event.domain });
    }
    applied.push(numberOf(event));
  },
});
/** Events of domain `order` where the condition holds, otherwise of domain `customer`. */
const send = (from: number, to: number, isOrder: (n: number) => boolean, groups = 1_000_000): void =>
  world.server.send(
    numbers(from, to).map((n) =>
      world.change(n, { domain: isOrder(n) ? 'order' : 'customer', messageGroup: `group-${n % groups}` }),
    ),
  );
const reported = (): readonly number[] | undefined =>
  world.server.answers.filter((answer): answer is WaitingReport => 'sequences' in answer).at(-1)?.sequences;
/** Number of waiting events in the journal of a stopped adaptor. */
const inJournal = (): number => {
  const journal = openJournal(world.directory, () => 'unused');
  const { length } = journal.waiting.list();
  journal.close();
  return length;
};
const isEven = (n: number): boolean => n % 2 === 0;

describe('events that cannot be applied yet', () => {
  it('wait in the journal by the thousands without a place of the others, and follow soon when their table is free', async () => {
    locked.add('order');
    await world.start(system());
    send(1, 6_000, isEven);
    const others = numbers(1, 6_000).filter((n) => !isEven(n));
    const waiting = numbers(1, 6_000).filter(isEven);
    await eventually(() => applied.length === others.length && reported()?.length === waiting.length);
    expect(applied).toEqual(others);
    expect(reported()).toEqual(waiting);
    // the acknowledged position ends before the first of them
    expect(world.memory.down.sender).toMatchObject({ acked: 1, settled: 6_000 });
    locked.clear();
    await eventually(() => world.memory.down.sender.acked === 6_000, 40_000);
    expect(applied.slice(others.length).sort((one, other) => one - other)).toEqual(waiting);
    await eventually(() => reported()?.length === 0);
  }, 90_000);

  it('do not slow the others down where each attempt takes long, also with concurrency 1', async () => {
    locked.add('order');
    await world.start(system(500));
    send(1, 2_000, isEven);
    await eventually(() => applied.length === 1_000 && reported()?.length === 1_000);
    // an attempt of each of them would have taken 500 seconds
    expect(refused.length).toBeLessThan(20);
  });

  it('keep the order of their group, and the events of the group behind them wait too', async () => {
    locked.add('order');
    await world.start(system(), { concurrency: '4' });
    // each of the seven groups begins with an event that has to wait
    send(1, 700, (n) => n <= 7, 7);
    await eventually(() => reported()?.length === 700);
    expect(applied).toEqual([]);
    locked.clear();
    await eventually(() => world.memory.down.sender.acked === 700);
    for (const group of numbers(0, 6))
      expect(applied.filter((n) => n % 7 === group)).toEqual(numbers(1, 700).filter((n) => n % 7 === group));
  });

  it('stay before the events of another record with the same key: the former was deleted, and created again', async () => {
    locked.add('order');
    const first = await world.start(system(), { concurrency: '4' });
    const place = { domain: 'order', drKey: '["k"]' };
    world.server.send([
      world.change(1, { ...place, action: 'DELETE', messageGroup: 'former' }),
      world.change(2, { ...place, action: 'POST', messageGroup: 'again' }),
      world.change(3, { ...place, messageGroup: 'again' }),
      world.change(4),
    ]);
    await eventually(() => reported()?.length === 3);
    await first.stop();
    await world.start(system(), { concurrency: '4' });
    world.server.send([world.change(5, { ...place, messageGroup: 'again' }), world.change(6)]);
    await eventually(() => reported()?.length === 4);
    expect(applied).toEqual([4, 6]);
    locked.clear();
    await eventually(() => world.memory.down.sender.acked === 6);
    expect(applied).toEqual([4, 6, 1, 2, 3, 5]);
  });

  it('do not have to wait for that order: it is kept with any concurrency', async () => {
    const begun: number[] = [];
    let goOn = (): void => undefined;
    const apply = async (event: IncomingEvent): Promise<void> => {
      begun.push(numberOf(event));
      if (numberOf(event) === 1) await new Promise<void>((resolve) => (goOn = resolve));
      applied.push(numberOf(event));
    };
    await world.start({ apply }, { concurrency: '4' });
    // a key with a missing value may be that of many records
    const [key, partial] = ['["k"]', '["k",null]'];
    world.server.send([
      world.change(1, { action: 'DELETE', drKey: key }),
      world.change(2, { action: 'POST', drKey: key }),
      world.change(3, { action: 'DELETE', drKey: partial }),
      world.change(4, { action: 'POST', drKey: partial }),
      world.change(5),
    ]);
    await eventually(() => applied.length === 3);
    expect(begun).toEqual([1, 3, 4, 5]);
    goOn();
    await eventually(() => world.memory.down.sender.acked === 5);
    expect(applied.slice(3)).toEqual([1, 2]);
  });

  it('and those applied behind them are recognised after a restart, also when the server sends all of them again', async () => {
    locked.add('order');
    const first = await world.start(system());
    send(1, 3_000, (n) => n === 5 || n === 2_000);
    await eventually(() => applied.length === 2_998);
    await first.stop();
    await world.restartServer();
    await world.start(system());
    await eventually(() => reported()?.length === 2 && world.server.hellos.length > 0);
    expect(reported()).toEqual([5, 2_000]);
    expect(world.server.hellos.at(-1)).toMatchObject({ applied: 4, settled: 3_000 });
    for (const n of numbers(1, 3_000)) {
      const event = world.memory.down.bodies[n - 1];
      if (event !== undefined) world.server.sendRaw(event, n);
    }
    send(3_001, 3_001, () => false);
    await eventually(() => applied.includes(3_001));
    locked.clear();
    await eventually(() => world.memory.down.sender.acked === 3_001, 30_000);
    expect([...applied].sort((one, other) => one - other)).toEqual(numbers(1, 3_001));
  }, 60_000);

  it('survive a pause, and are tried at once after a change of the configuration', async () => {
    locked.add('order');
    const adaptor = await world.start(system(500));
    send(1, 100, isEven);
    await eventually(() => applied.length === 50);
    world.server.operate({ operation: 'PAUSE' });
    await eventually(() => adaptor.state === 'PAUSED');
    world.server.operate({ operation: 'PLAY' });
    await eventually(() => adaptor.state === 'STARTED' && reported()?.length === 50);
    locked.clear();
    world.server.operate({ operation: 'METADATA', metadata: { table: 'unlocked' } });
    await eventually(() => world.memory.down.sender.acked === 100, 3_000);
    expect([...applied].sort((one, other) => one - other)).toEqual(numbers(1, 100));
  });

  it('are the message of the adaptor from the second failure until they are applied', async () => {
    locked.add('order');
    const adaptor = await world.start(system());
    send(1, 10, isEven);
    await eventually(() => world.server.said.some((said) => 'source' in said));
    expect(world.server.said.at(-1)).toEqual({ source: 'table order is locked' });
    expect(adaptor.state).toBe('STARTED');
    locked.clear();
    await eventually(() => world.memory.down.sender.acked === 10);
    await eventually(
      () =>
        world.server.said.at(-1)?.hasOwnProperty('source') === true &&
        JSON.stringify(world.server.said.at(-1)) === '{"source":""}',
    );
  });

  it('are sent again in a new sequence of the server, and applied once', async () => {
    locked.add('order');
    await world.start(system());
    send(1, 20, isEven);
    await eventually(() => reported()?.length === 10);
    // the server forgets its sequence, as after a restore
    const { sender, bodies } = world.memory.down;
    world.memory.down = {
      bodies: bodies.slice(1),
      sender: { ...sender, epoch: '0199d0a0-0000-7000-8000-0000000000ee', acked: 0, settled: 0, sent: 0, last: 19 },
    };
    await world.restartServer();
    await eventually(
      () => reported()?.length === 10 && world.server.hellos.at(-1)?.epoch === world.memory.down.sender.epoch,
    );
    locked.clear();
    await eventually(() => world.memory.down.sender.acked === 19);
    expect(applied.filter(isEven).sort((one, other) => one - other)).toEqual(numbers(1, 20).filter(isEven));
  });
});

describe('the journal of waiting events', () => {
  it('has a bound: the adaptor takes no more events until there is room, and loses none', async () => {
    locked.add('order');
    const adaptor = await world.start(system(), { 'journal.max.waiting': '100' });
    send(1, 4_000, () => true);
    await eventually(() =>
      world.server.said.some((said) => 'source' in said && said.source.includes('journal.max.waiting is 100')),
    );
    await adaptor.stop();
    expect(inJournal()).toBeGreaterThan(0);
    expect(inJournal()).toBeLessThanOrEqual(100 + eventWindow);
    locked.clear();
    const second = await world.start(system(), { 'journal.max.waiting': '100' });
    await eventually(() => world.memory.down.sender.acked === 4_000, 60_000);
    expect([...applied].sort((one, other) => one - other)).toEqual(numbers(1, 4_000));
    await second.stop();
    expect(inJournal()).toBe(0);
  }, 90_000);

  it('has a bound of bytes', async () => {
    locked.add('order');
    await world.start(system(), { 'journal.max.waiting.bytes': String(4 * 2 ** 20) });
    const text = 'x'.repeat(2 ** 16);
    const isFull = () => world.server.said.some((said) => 'source' in said && said.source.includes('no room'));
    world.server.send(
      numbers(1, 400).map((n) => world.change(n, { domain: 'order', jsonData: JSON.stringify({ n, text }) })),
    );
    await eventually(isFull, 30_000);
    // a window of 16 MiB may have been on the way when the first one began to wait
    expect(world.memory.down.sender.settled * text.length).toBeLessThan((4 + 16 + 1) * 2 ** 20);
    locked.clear();
    await eventually(() => world.memory.down.sender.acked === 400, 60_000);
    expect([...applied].sort((one, other) => one - other)).toEqual(numbers(1, 400));
  }, 120_000);
});
