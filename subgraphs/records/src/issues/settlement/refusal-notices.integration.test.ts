import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import type { BusAdaptor } from '../../testing/bus-adaptor.js';
import { openRecordsWorld, type RecordsWorld } from '../../testing/open-records-world.js';
import { createRefusalNotices, type RefusalNotices } from './create-refusal-notices.js';

let world: RecordsWorld;
let notices: RefusalNotices;

beforeAll(async () => {
  world = await openRecordsWorld();
  notices = createRefusalNotices({
    database: world.database,
    bus: world.server.bus,
    now: () => new Date(),
    newUuid: randomUUID,
  });
  await world.seed.addVersion({
    domainName: 'Refused',
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' } },
    drKeyProperties: ['id'],
  });
});
afterAll(() => world?.close());

const storedOf = async (adaptorUuid: string): Promise<number> => {
  const { rowCount } = await world.database.pool.query('SELECT FROM refusal_notice WHERE adaptor_uuid = $1', [
    adaptorUuid,
  ]);
  return rowCount ?? 0;
};

/** An adaptor with refused events. */
const refused = async (name: string, count: number): Promise<BusAdaptor> => {
  const source = await world.connect(name, 'Refused');
  for (let id = 1; id <= count; id += 1) source.send({ action: 'POST', json: { id, colour: 'red' } });
  await eventually(() => expect(source.refusals).toHaveLength(count));
  return source;
};

describe('the notice of a refused event', () => {
  it('is repeated as it was sent, until its adaptor has acknowledged it', async () => {
    const source = await refused('Repeated', 2);
    const [first, second] = source.refusals;
    await notices.repeat(source.uuid);
    await eventually(() => expect(source.refusals).toEqual([first, second, first, second]));
    await notices.acknowledged(source.uuid, [first?.issueUuid ?? '', randomUUID()]);
    await notices.repeat(source.uuid);
    await eventually(() => expect(source.refusals.slice(4)).toEqual([second]));
  });

  it('is not removed by the acknowledgement of another adaptor', async () => {
    const [source, other] = [await refused('Owner', 1), await refused('Other', 1)];
    await notices.acknowledged(other.uuid, [source.refusals[0]?.issueUuid ?? '']);
    expect([await storedOf(source.uuid), await storedOf(other.uuid)]).toEqual([1, 1]);
  });

  it('goes with its issue', async () => {
    const source = await refused('Deleted', 1);
    expect(await storedOf(source.uuid)).toBe(1);
    await world.database.prisma.dataIssue.deleteMany({ where: { adaptorUuid: source.uuid } });
    expect(await storedOf(source.uuid)).toBe(0);
  });

  it('is one of at most 256 that are repeated at once, the oldest first', async () => {
    const source = await refused('Many', 260);
    const sent = source.refusals.map(({ sequence }) => sequence);
    await notices.repeat(source.uuid);
    await eventually(() => expect(source.refusals).toHaveLength(260 + 256));
    expect(source.refusals.slice(260).map(({ sequence }) => sequence)).toEqual(sent.slice(0, 256));
  });
});
