import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Link, UpDataEvent } from '@fds/adaptor-protocol';
import { eventually } from '@fds/testing';
import type { BusAdaptor } from '../../testing/bus-adaptor.js';
import { createMemoryBus } from '../../testing/memory-bus.js';
import { openRecordsWorld, type RecordsWorld } from '../../testing/open-records-world.js';

const domain = 'Noted';

let world: RecordsWorld;
let source: BusAdaptor;
/** Errors of handlers: a broker ends the connection then, and the adaptor sends the same message again. */
const rejected: unknown[] = [];

beforeAll(async () => {
  const bus = createMemoryBus();
  world = await openRecordsWorld({
    bus: {
      ...bus,
      handle: (kind, handler) =>
        bus.handle(kind, async (message) => {
          try {
            await handler(message);
          } catch (error) {
            rejected.push(error);
            throw error;
          }
        }),
    },
  });
  await world.seed.addVersion({
    domainName: domain,
    domainType: 'SERVICE_DATA_STORE',
    properties: { id: { type: 'string' }, note: { type: 'string' } },
    drKeyProperties: ['id'],
  });
  source = await world.connect('source', domain);
});
afterAll(() => world?.close());

/** Sends a valid event behind the message. When it is stored, the server has handled the message. */
const goesOn = async (): Promise<void> => {
  const before = await world.database.prisma.dataEvent.count();
  source.send({ action: 'POST', json: { id: `honest ${before}` } });
  await eventually(async () => expect(await world.database.prisma.dataEvent.count()).toBe(before + 1));
  expect(rejected).toEqual([]);
};

/** A separate record per event, so that no event waits behind another. */
let records = 0;
const nextId = (): string => `record ${(records += 1)}`;

describe.each([
  ['the character U+0000', 'a\u0000b'],
  ['half of a surrogate pair', 'a\ud800b'],
])('%s does not block the adaptor', (_, text) => {
  it.each<[string, Partial<Link>]>([
    ['the domain', { domain: text, drKey: { id: '1' } }],
    ['a value of the DR Key', { drKey: { id: text } }],
    ['a name in the DR Key', { drKey: { [text]: 1 } }],
  ])('in a link: %s', async (_part, link) => {
    source.link({ action: 'LINK', domain, version: 1, ...link });
    await goesOn();
  });

  it.each<[string, (id: string) => Partial<UpDataEvent>, string]>([
    ['the domain', (id) => ({ domain: text, json: { id } }), '/domain'],
    ['a value', (id) => ({ json: { id, note: text } }), '/json/note'],
    ['a name', (id) => ({ json: { id, [text]: 1 } }), '/json'],
    ['a value of jsonData', (id) => ({ jsonData: JSON.stringify({ id, note: text }) }), '/json/note'],
    ['a value of the DR Key', () => ({ action: 'DELETE', drKey: { id: text } }), '/drKey/id'],
  ])('in an event, which becomes an issue that says where it is: %s', async (_part, event, pointer) => {
    const before = await world.database.prisma.dataIssue.count();
    source.send({ action: 'POST', ...event(nextId()) });
    await goesOn();
    const issues = await world.database.prisma.dataIssue.findMany({ orderBy: { uuid: 'asc' } });
    expect(issues.length).toBe(before + 1);
    expect(JSON.parse(issues.at(-1)?.errors ?? '[]')).toContainEqual(
      expect.objectContaining({ pointer, code: 'INVALID_CHARACTER' }),
    );
  });
});
