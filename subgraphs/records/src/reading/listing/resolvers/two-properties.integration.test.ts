import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { graphql } from 'graphql';
import {
  adaptorSource,
  buildMessage,
  carriedEvents,
  checkEvent,
  parseMessage,
  type DownDataEvent,
} from '@fds/adaptor-protocol';
import type { Principal } from '@fds/auth';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { parseJson, type JsonObject, type JsonValue } from '@fds/json';
import { eventually } from '@fds/testing';
import { createCatalogSeed, type CatalogSeed } from '../../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../../testing/start-records.js';

type Row = Record<string, JsonValue | undefined>;

let database: TestDatabase;
let seed: CatalogSeed;
let server: StartedRecords;
let domain: string;
let counter = 0;

beforeAll(async () => {
  database = await openTestDatabase();
  seed = createCatalogSeed(database);
  server = await startRecords(database);
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
});

/**
 * A system with one row and its adaptor, by the contract alone. The adaptor reports the whole row when it looks at it, writes
 * only the properties that a message names as changed, and keeps values of its users that it has not reported.
 */
const createSystem = (uuid: string, tells: 'SEEN' | 'NOTHING') => {
  const sendEpoch = randomUUID();
  const row: Row = {};
  const reported: Row = {};
  const held: { readonly sequence: number; readonly data: DownDataEvent }[] = [];
  let epoch = '';
  let applied = 0;
  let keptFrom: number | undefined;
  let sent = 0;
  let lets = true;
  const stamp = () => ({ id: randomUUID(), source: adaptorSource(uuid), time: new Date().toISOString() });
  const publish = (kind: 'data' | 'ack' | 'hello', payload: string) => server.bus.publishUp(uuid, kind, payload);
  const differing = (): string[] => Object.keys(row).filter((name) => row[name] !== reported[name]);

  const apply = ({ sequence, data }: (typeof held)[number]): void => {
    if (sequence !== applied + 1) return;
    const values = parseJson(data.jsonData) as JsonObject;
    const unreported = new Set(differing());
    for (const name of data.changed ?? []) {
      if (unreported.has(name)) keptFrom ??= sequence;
      else row[name] = reported[name] = values[name];
    }
    applied = sequence;
    publish('ack', buildMessage('up/ack', { ...stamp(), type: 'fds.ack.v1', data: { epoch, upto: applied } }));
  };
  server.bus.connect(uuid, (kind, payload) => {
    const bytes = new TextEncoder().encode(payload);
    if (kind === 'hello') {
      const hello = parseMessage('down/hello', bytes);
      if (hello.ok) epoch = hello.value.data.sendEpoch ?? '';
    }
    if (kind !== 'data') return;
    const carried = carriedEvents(bytes);
    if (!carried.ok) throw new TypeError('an unreadable message');
    for (const { envelope } of carried.value) {
      const parsed = envelope.ok ? checkEvent('down/data', envelope.value) : envelope;
      if (!parsed.ok) throw new TypeError('an unreadable event');
      const { sequence = 0, data } = parsed.value;
      if (lets) apply({ sequence, data });
      else held.push({ sequence, data });
    }
  });
  const hello = { epoch: null, applied: 0, sendEpoch, sent: 0 };
  publish('hello', buildMessage('up/hello', { ...stamp(), type: 'fds.hello.v1', data: hello }));

  return {
    uuid,
    row,
    isGreeted: () => epoch !== '',
    /** A user changes the row. */
    edit: (values: JsonObject): void => void Object.assign(row, values),
    /** The adaptor looks at the row, and reports it if a user has changed it. */
    look: (): void => {
      if (differing().length === 0) return;
      const seenBefore = keptFrom === undefined ? applied : keptFrom - 1;
      keptFrom = undefined;
      Object.assign(reported, row);
      sent += 1;
      const data = {
        action: 'PUT',
        domain,
        version: 1,
        transactionUuid: randomUUID(),
        createTime: Date.now(),
        json: { ...row },
        ...(tells === 'SEEN' ? { seen: { epoch, applied: seenBefore, begun: applied } } : {}),
      } as const;
      publish(
        'data',
        buildMessage('up/data', { ...stamp(), type: 'fds.data.v1', sequence: sent, epoch: sendEpoch, data }),
      );
    },
    /** Messages wait until `release`. */
    hold: (): void => {
      lets = false;
    },
    held: () => held.length,
    release: (): void => {
      lets = true;
      for (const message of held.splice(0)) apply(message);
    },
  };
};
type System = ReturnType<typeof createSystem>;

const events = async (drUuid: string): Promise<readonly { readonly uuid: string; readonly overrides: unknown }[]> => {
  const principal: Principal = {
    kind: 'PERSON',
    uuid: randomUUID(),
    username: 'x',
    zones: [],
    defaultZoneUuid: undefined,
    permits: () => true,
  };
  const answer = await graphql({
    schema: server.subgraph.schema,
    source: `query ($drUuid: Uuid!) { dataEvents(drUuid: $drUuid) {
      data { uuid overrides { eventUuid sourceAdaptorUuid properties } } } }`,
    variableValues: { drUuid },
    contextValue: { principal, requestId: 'test' },
  });
  expect(answer.errors).toBeUndefined();
  return (JSON.parse(JSON.stringify(answer.data)) as { dataEvents: { data: never[] } }).dataEvents.data;
};

describe.each(['SEEN', 'NOTHING'] as const)('two systems whose adaptors report whole rows and state %s', (tells) => {
  let a: System;
  let b: System;
  let recordUuid: string;

  beforeEach(async () => {
    counter += 1;
    domain = `Pair${counter}`;
    const zoneUuid = await seed.addZone(domain);
    const string = { type: 'string' };
    const { domainVersionUuid } = await seed.addVersion({
      domainName: domain,
      domainType: 'FEDERATED',
      properties: { id: { type: 'integer' }, name: string, phone: string },
      drKeyProperties: ['id'],
    });
    const add = async (name: string): Promise<System> =>
      createSystem(await seed.addAdaptor({ name: `${name} ${counter}`, zoneUuid, domains: [domain] }), tells);
    a = await add('a');
    b = await add('b');
    await eventually(() => expect([a.isGreeted(), b.isGreeted()]).toEqual([true, true]));
    a.edit({ id: 1, name: 'name0', phone: 'phone0' });
    a.look();
    await eventually(() => expect(b.row).toEqual({ id: 1, name: 'name0', phone: 'phone0' }));
    ({ uuid: recordUuid } = await database.prisma.dataRecord.findFirstOrThrow({ where: { domainVersionUuid } }));
  });

  const quiet = () =>
    eventually(async () => {
      for (const { uuid } of [a, b]) {
        const channel = await database.prisma.adaptorChannel.findUnique({ where: { adaptorUuid: uuid } });
        expect(channel?.downAcked).toBe(channel?.downSequence);
      }
      expect(a.row).toEqual(b.row);
    });

  it('both keep an edit of different properties that their adaptors had not reported to each other', async () => {
    a.edit({ name: 'name1' });
    b.edit({ phone: 'phone1' });
    a.look();
    await eventually(() => expect(b.row['name']).toBe('name1'));
    b.look();
    await quiet();
    expect(a.row).toEqual({ id: 1, name: 'name1', phone: 'phone1' });
    for (const { overrides } of await events(recordUuid)) expect(overrides).toEqual([]);
  });

  it('both keep them when the reports cross on their way', async () => {
    for (const system of [a, b]) system.hold();
    a.edit({ name: 'name1' });
    b.edit({ phone: 'phone1' });
    a.look();
    b.look();
    await eventually(() => expect([a.held(), b.held()].every((count) => count > 0)).toBe(true));
    for (const system of [a, b]) system.release();
    await quiet();
    expect(a.row).toEqual({ id: 1, name: 'name1', phone: 'phone1' });
  });

  it('agree on the value that is committed last when one keeps an unreported value against a message', async () => {
    b.edit({ name: 'of b' });
    a.edit({ name: 'of a', phone: 'phone1' });
    a.look();
    await eventually(() => expect(b.row['phone']).toBe('phone1'));
    expect(b.row['name']).toBe('of b');
    b.look();
    await quiet();
    expect(a.row).toEqual({ id: 1, name: 'of b', phone: 'phone1' });
    const [winner, loser] = await events(recordUuid);
    const named = [{ eventUuid: loser?.uuid, sourceAdaptorUuid: a.uuid, properties: ['name'] }];
    expect(winner?.overrides).toEqual(tells === 'SEEN' ? named : []);
  });
});
