import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ApplyError } from './handlers.js';
import { type AdaptorWorld, openAdaptorWorld } from './testing/adaptor-world.js';
import { eventually } from './testing/eventually.js';

let world: AdaptorWorld;
beforeEach(async () => {
  world = await openAdaptorWorld();
});
afterEach(() => world.close());

const errors = () => world.server.answers.filter((answer) => 'kind' in answer);

describe('the report of an event', () => {
  it('names the failure to a steward, and is an issue of the event also when the source refused it', async () => {
    await world.start({
      apply: () => {
        throw new ApplyError('ERROR 23502: null value', {
          kind: 'SOURCE',
          title: 'The system refused the row: first_name must not be empty',
          properties: ['firstName'],
        });
      },
    });
    const change = world.change(1);
    world.server.send([change]);
    await eventually(() => errors().length === 1 && world.memory.down.sender.acked === 1);
    const { drUuid, transactionUuid } = change;
    expect(errors()).toEqual([
      {
        level: 'ERROR',
        kind: 'DATA',
        message: 'ERROR 23502: null value',
        title: 'The system refused the row: first_name must not be empty',
        properties: ['firstName'],
        drUuid,
        transactionUuid,
        sequence: 1,
      },
    ]);
  });

  it('warns once of all properties that the event was applied without', async () => {
    await world.start({
      apply: () => ({
        notApplied: [
          { property: 'phone', reason: 'no column is mapped to it' },
          { property: 'fax', reason: 'its column is not updatable' },
        ],
      }),
    });
    const change = world.change(1, { action: 'POST' });
    world.server.send([change]);
    await eventually(() => errors().length === 1 && world.server.links.length === 1);
    const { drUuid, transactionUuid } = change;
    expect(errors()).toEqual([
      {
        level: 'WARN',
        kind: 'DATA',
        message: 'phone: no column is mapped to it; fax: its column is not updatable',
        properties: ['phone', 'fax'],
        drUuid,
        transactionUuid,
        sequence: 1,
      },
    ]);
  });
});

describe('the reports of refused events', () => {
  it('are sent before the acknowledgement of their message, which stays behind them', async () => {
    const [count, window] = [1500, 1024];
    let refused = 0;
    const sent = (): number => world.server.downSizes.reduce((sum, size) => sum + size, 0);
    await world.start({
      apply: ({ json }) => {
        if (json['n'] === 1) return;
        refused += 1;
        throw new ApplyError('refused', { title: 'The system refused the row' });
      },
    });
    const release = world.server.holdReports();
    const { down } = world.memory;
    world.server.send([world.change(1)]);
    await eventually(() => down.sender.acked === 1);
    world.server.send(Array.from({ length: count - 1 }, (_, index) => world.change(index + 2)));
    await eventually(() => refused >= window);
    const before = sent();
    try {
      // the server sends messages again, more than it has left: nothing is acknowledged any longer
      await eventually(() => sent() > before + count - window);
      expect(down.sender.acked).toBe(1);
    } finally {
      release();
    }
    let ahead = 0;
    await eventually(() => {
      ahead = Math.max(ahead, down.sender.acked - 1 - errors().length);
      return down.sender.acked === count && errors().length === count - 1;
    }, 50_000);
    expect(ahead).toBeLessThanOrEqual(0);
  }, 60_000);
});

describe('a hello', () => {
  it('is sent after the reports of the messages that its position acknowledges', async () => {
    const applied: unknown[] = [];
    const adaptor = await world.start({
      apply: ({ json: { n } }) => {
        applied.push(n);
        if (n !== 3) throw new ApplyError('refused', { title: 'The system refused the row' });
      },
    });
    await eventually(() => world.server.states.includes('STARTED') && world.server.hellos.length > 0);
    const { hellos } = world.server;
    const { events } = world.memory.up;
    const tell = () => adaptor.publish({ action: 'POST', domain: 'customer', version: 1, json: { n: events.length } });
    const release = world.server.holdReports();
    world.server.send([world.change(1), world.change(2)]);
    await eventually(async () => {
      const before = events.length;
      await tell();
      await eventually(() => events.length > before);
      return events.at(-1)?.seen?.applied === 2;
    });
    const before = hellos.length;
    // a gap: the adaptor has to state its position
    world.server.sendRaw(world.change(9), 9);
    world.server.send([world.change(3)]);
    await eventually(() => applied.includes(3));
    const told = events.length;
    await tell();
    await eventually(() => events.length > told);
    expect(hellos).toHaveLength(before);
    release();
    let errorsAtHello: number | undefined;
    await eventually(() => {
      if (hellos.length > before) errorsAtHello ??= errors().length;
      return errorsAtHello !== undefined;
    });
    expect(errorsAtHello).toBe(2);
    expect(hellos.at(-1)?.applied).toBeGreaterThanOrEqual(2);
  });
});

describe('the faults of sources', () => {
  const health = async (port: number): Promise<unknown> => (await fetch(`http://127.0.0.1:${port}/health`)).json();
  const lastSaid = () => world.server.said.at(-1);

  it('are the message of the adaptor and the reason of its health until they are over', async () => {
    const adaptor = await world.start({});
    await eventually(() => world.server.states.includes('STARTED'));
    adaptor.reportSource({ source: 'orders', reason: 'orders is read by time only: the log is not available' });
    await eventually(() => 'source' in (lastSaid() ?? {}));
    expect(lastSaid()).toEqual({ source: 'orders is read by time only: the log is not available' });
    expect([adaptor.state, await health(adaptor.healthPort)]).toEqual([
      'STARTED',
      { status: 'UP', reason: 'orders is read by time only: the log is not available' },
    ]);
    const requestId = world.server.operate({ operation: 'HEALTH' });
    const answered = () =>
      world.server.answers.find((answer) => 'requestId' in answer && answer.requestId === requestId);
    await eventually(() => answered() !== undefined);
    expect(answered()).toMatchObject({
      state: 'STARTED',
      health: { status: 'UP', reason: 'orders is read by time only: the log is not available' },
    });
    adaptor.clearSource('orders');
    await eventually(() => world.server.said.length === 4);
    expect(lastSaid()).toEqual({ source: '' });
    expect(await health(adaptor.healthPort)).toEqual({ status: 'UP' });
  });

  it('put the adaptor into ERROR where no event can flow, and it applies messages in the meantime', async () => {
    const seen: unknown[] = [];
    const adaptor = await world.start({ apply: ({ json }) => void seen.push(json['n']) });
    await eventually(() => world.server.states.includes('STARTED'));
    adaptor.reportSource({ source: 'a', reason: 'the first reason' });
    adaptor.reportSource({ source: 'b', reason: 'the database shop is another one than before', state: 'ERROR' });
    const both = 'the database shop is another one than before; the first reason';
    await eventually(() => world.server.said.length === 4);
    expect(world.server.said.slice(2)).toMatchObject([{ state: 'ERROR', stateMessage: both }, { source: both }]);
    expect(await health(adaptor.healthPort)).toMatchObject({ status: 'DOWN', adaptorService: 'DOWN', reason: both });
    world.server.send([world.change(1)]);
    await eventually(() => world.memory.down.sender.acked === 1);
    expect([seen, adaptor.state]).toEqual([[1], 'ERROR']);
    adaptor.clearSource('b');
    await eventually(() => world.server.said.length === 6);
    expect(world.server.said.slice(4)).toMatchObject([
      { state: 'STARTED', stateMessage: 'the first reason' },
      { source: 'the first reason' },
    ]);
  });

  it('are reported again after each connection, also those that began before the first one', async () => {
    const adaptor = await world.start((running) => {
      running.reportSource({ source: 'a', reason: 'the folder is away' });
      return {};
    });
    const reported = [{ state: 'STARTING' }, { state: 'STARTED' }, { source: 'the folder is away' }];
    await eventually(() => world.server.said.length === 3);
    expect(world.server.said).toMatchObject(reported);
    await world.restartServer();
    await eventually(() => world.server.said.length === 3);
    expect(world.server.said).toMatchObject(reported);
    // a repeated fault is not reported
    adaptor.reportSource({ source: 'a', reason: 'the folder is away' });
    adaptor.reportSource({ source: 'b', reason: 'the other folder is away' });
    await eventually(() => world.server.said.length === 4);
    expect(lastSaid()).toEqual({ source: 'the folder is away; the other folder is away' });
  });

  it('do not fill the message: further ones are counted', async () => {
    const adaptor = await world.start({});
    await eventually(() => world.server.states.includes('STARTED'));
    for (let n = 0; n < 2_000; n += 1) adaptor.reportSource({ source: `${n}`, reason: `${n} `.repeat(10_000) });
    await eventually(() => world.server.said.length === 3);
    const said = lastSaid();
    const text = said !== undefined && 'source' in said ? said.source : '';
    expect(text.length).toBeLessThan(3_000);
    expect(text).toMatch(/; and 1995 more$/);
  });
});
