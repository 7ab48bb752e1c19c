import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { OpsRequest } from '@fds/adaptor-protocol';
import { v7 as newUuid } from 'uuid';
import { openCatalog, type Answer, type TestCatalog } from './testing/open-catalog.js';

// no question of these tests may have to wait for its time-out
const answerTimeoutMs = 600_000;

let catalog: TestCatalog;
let adaptor: string;

beforeAll(async () => {
  catalog = await openCatalog({ answerTimeoutMs });
});
afterAll(() => catalog?.close());
beforeEach(async () => {
  const { data } = await catalog.run(
    'mutation($z: Uuid!) { created: createAdaptor(zoneUuid: $z, input: {name: "crm"}) { clientId } }',
    { z: catalog.rootZoneUuid },
  );
  adaptor = String(data['created']?.['clientId']);
  catalog.answerWith(() => undefined);
  await catalog.report(adaptor, 'STARTING');
  await catalog.report(adaptor, 'STARTED');
});

/** Makes the adaptor answer every question with these members, against the contract. */
const answerWith = (members: object, envelope: object = {}): void => {
  catalog.answerWith(({ requestId, operation }: OpsRequest) => {
    const said = {
      specversion: '1.0',
      id: newUuid(),
      source: `/adaptors/${adaptor}`,
      type: 'fds.ops.answer.v1',
      time: new Date().toISOString(),
      datacontenttype: 'application/json',
      data: { requestId, operation, accepted: true, ...members },
      ...envelope,
    };
    setImmediate(() => void catalog.deliver(adaptor, 'ops', JSON.stringify(said)));
    return undefined;
  });
};
const ask = (field: string, selection: string): Promise<Answer> =>
  catalog.run(`query($z: Uuid!, $a: Uuid!) { r: ${field}(zoneUuid: $z, adaptorUuid: $a) { ${selection} } }`, {
    z: catalog.rootZoneUuid,
    a: adaptor,
  });
const totals = async (): Promise<readonly (number | undefined)[]> => {
  const { data } = await ask('adaptorMetrics', 'adaptorMetricsDetail { type period dateCount { count } }');
  const detail = data['r']?.['adaptorMetricsDetail'] as readonly {
    readonly type: string;
    readonly period: string;
    readonly dateCount: readonly { readonly count: number }[];
  }[];
  return ['SENT', 'RECEIVED'].map(
    (type) => detail.find((each) => each.type === type && each.period === 'ALL_TIME')?.dateCount[0]?.count,
  );
};

describe('an answer that the server cannot read', () => {
  it.each([
    ['a text in place of metrics', { metrics: 'many' }],
    ['metrics without totals', { metrics: { sent: 4 } }],
    ['totals below 0 and in fractions', { metrics: { sent: -1, received: 1.5 } }],
    ['no metrics', {}],
    ['no operation', { operation: undefined, metrics: null }],
    ['an unknown operation', { operation: 'COUNT', metrics: { sent: 1, received: 1 } }],
    ['text that cannot be stored', { message: 'a\u0000b', accepted: 'yes' }],
  ])('does not change the counts of the server: %s', async (_, members) => {
    answerWith({ metrics: { sent: 7, received: 3 } });
    expect(await totals()).toEqual([7, 3]);
    answerWith(members);
    expect(await totals()).toEqual([7, 3]);
  });

  it('results in the counts of the server for an adaptor without counts', async () => {
    answerWith({ metrics: [] });
    expect(await totals()).toEqual([undefined, undefined]);
    await catalog.database.pool.query(
      `INSERT INTO adaptor_channel (adaptor_uuid, down_epoch, down_base, down_sequence, down_acked, up_applied)
       VALUES ($1, $2, 0, 9, 5, 12)`,
      [adaptor, newUuid()],
    );
    expect(await totals()).toEqual([12, 5]);
  });

  it.each([
    ['a list in place of a history', { history: [1, 2] }],
    ['a minute without counts', { history: { from: 1, until: 2, minutes: [{ minute: 1 }], more: false } }],
    ['a number in place of a time zone', { timeZone: 7 }],
  ])('still results in readable totals: %s', async (_, wrong) => {
    answerWith({ metrics: { sent: 21, received: 20, ...wrong } });
    expect(await totals()).toEqual([21, 20]);
  });

  it.each([
    ['a text in place of health', { health: 'fine' }],
    ['an unknown status', { health: { status: 'GREEN', uptime: 1 } }],
    ['no uptime', { health: { status: 'UP' } }],
    ['no word whether it accepts', { accepted: undefined, health: 5 }],
  ])('results in DOWN at once: %s', async (_, members) => {
    answerWith(members);
    expect((await ask('adaptorHealth', 'status uptime')).data['r']).toEqual({ status: 'DOWN', uptime: 0 });
  });

  it('is used as far as it can be read', async () => {
    const health = { status: 'UP', uptime: 5 };
    for (const [members, envelope] of [
      [{ health, metrics: 'many', state: 'SLEEPING' }, {}],
      [{ health }, { time: 'noon' }],
      [{ health }, { id: undefined, source: 7 }],
    ] as const) {
      answerWith(members, envelope);
      expect((await ask('adaptorHealth', 'status uptime')).data['r']).toEqual(health);
    }
  });

  it('does not end a request to another adaptor', async () => {
    const heard: string[] = [];
    catalog.answerWith(({ requestId, operation }) => {
      const say = async (from: string, members: object): Promise<void> => {
        const data = { requestId, operation, accepted: true, ...members };
        await catalog.deliver(from, 'ops', JSON.stringify({ type: 'fds.ops.answer.v1', data }));
        heard.push(from);
      };
      const other = newUuid();
      setImmediate(() => void say(other, { health: { status: 'UP', uptime: 1 } }).then(() => say(adaptor, {})));
      return undefined;
    });
    expect((await ask('adaptorHealth', 'status uptime')).data['r']).toEqual({ status: 'DOWN', uptime: 0 });
    expect(heard[0]).not.toBe(adaptor);
  });
});
