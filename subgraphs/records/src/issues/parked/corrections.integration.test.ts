import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import type { BusAdaptor } from '../../testing/bus-adaptor.js';
import { findScans } from '../../testing/find-scans.js';
import { openRecordsWorld, type RecordsWorld } from '../../testing/open-records-world.js';
import { startRecords } from '../../testing/start-records.js';

const domains = { FEDERATED: 'Shared', SERVICE_DATA_STORE: 'Stored' } as const;
const properties = {
  id: { type: 'integer' },
  name: { type: 'string', required: true },
  age: { type: 'integer' },
  note: { type: 'string' },
};

let world: RecordsWorld;
let destination: BusAdaptor;

beforeAll(async () => {
  world = await openRecordsWorld();
  for (const [domainType, domainName] of Object.entries(domains)) {
    await world.seed.addVersion({
      domainName,
      domainType: domainType as keyof typeof domains,
      properties,
      drKeyProperties: ['id'],
    });
  }
  destination = await world.connect('to', domains.FEDERATED);
});
afterAll(() => world?.close());

const issues = async ({ uuid: adaptorUuid }: BusAdaptor) =>
  (await world.database.prisma.dataIssue.findMany({ where: { adaptorUuid }, orderBy: { uuid: 'asc' } })).map(
    ({ cause, status }) => `${cause} ${status}`,
  );

const settled = (source: BusAdaptor, expected: readonly string[]): Promise<void> =>
  eventually(async () => expect(await issues(source)).toEqual(expected));

const received = (id: number): unknown[] =>
  destination.applied.flatMap(({ event }) => {
    const record = JSON.parse(event.jsonData) as { id?: number; name?: string };
    return record.id === id ? [record.name] : [];
  });

const stored = async (id: number): Promise<unknown[]> =>
  (
    await world.database.pool.query<{ json: unknown }>(
      'SELECT json FROM data_record WHERE dr_key = $1::jsonb AND json IS NOT NULL',
      [JSON.stringify({ id })],
    )
  ).rows.map(({ json }) => json);

describe('an event that is not valid', () => {
  it('is replaced by a later valid one of its record, and its issue names that one', async () => {
    const source = await world.connect('replaced', domains.FEDERATED);
    source.send({ action: 'POST', json: { id: 1 } });
    await settled(source, ['FAULTY OPEN']);
    const transactionUuid = '019acd00-0000-7000-8000-000000000001';
    source.send({ action: 'PUT', json: { id: 1, name: 'right' }, transactionUuid });
    await settled(source, ['FAULTY CLOSED']);
    await eventually(() => expect(received(1)).toEqual(['right']));
    const [issue] = await world.database.prisma.dataIssue.findMany({ where: { adaptorUuid: source.uuid } });
    expect(issue?.description).toBe(
      `A later complete event of the record replaced this one (transaction ${transactionUuid}).`,
    );
    // the notice of the refusal stays until the adaptor acknowledges it
    expect(source.refusals).toMatchObject([{ issueUuid: issue?.uuid, code: 'FAULTY' }]);
    expect(await world.database.prisma.refusalNotice.count({ where: { adaptorUuid: source.uuid } })).toBe(1);
  });

  it('is replaced within a batch, and by a deletion', async () => {
    const source = await world.connect('at once', domains.FEDERATED);
    source.send({ action: 'POST', json: { id: 2, name: 'a' } });
    source.send({ action: 'PUT', json: { id: 2 } });
    source.send({ action: 'PUT', json: { id: 2, name: 'b' } });
    source.send({ action: 'PUT', json: { id: 2, name: 7 } });
    source.send({ action: 'DELETE', drKey: { id: 2 } });
    await settled(source, ['FAULTY CLOSED', 'FAULTY CLOSED']);
    await eventually(() => expect(destination.applied.at(-1)?.event.action).toBe('DELETE'));
    expect(received(2)).toEqual(['a', 'b']);
  });

  it('is replaced by an event that names its record by uuid under another key, and events behind it go on', async () => {
    const source = await world.connect('another key', domains.FEDERATED);
    source.send({ action: 'POST', json: { id: 3, name: 'a' } });
    const drUuid = await eventually(() => {
      const message = destination.applied.find(({ event }) => event.jsonData.includes('"id":3,'));
      return message?.event.drUuid ?? Promise.reject(new Error('not applied'));
    });
    source.send({ action: 'PUT', drUuid, json: { id: 33 } });
    await settled(source, ['FAULTY OPEN']);
    source.send({ action: 'PUT', drUuid, json: { id: 3, name: 'b' } });
    await settled(source, ['FAULTY CLOSED']);
    await eventually(() => expect(received(3)).toEqual(['a', 'b']));
  });

  it('stays when the later event is not valid either, and goes with the first one that is', async () => {
    const source = await world.connect('twice', domains.FEDERATED);
    source.send({ action: 'POST', json: { id: 4 } });
    source.send({ action: 'PUT', json: { id: 4, name: 7 } });
    await settled(source, ['FAULTY OPEN', 'HELD OPEN']);
    source.send({ action: 'PUT', json: { id: 4, name: 'right' } });
    await settled(source, ['FAULTY CLOSED', 'FAULTY CLOSED']);
    await eventually(() => expect(received(4)).toEqual(['right']));
  });

  it('is replaced after a restart too', async () => {
    const source = await world.connect('restarted', domains.FEDERATED);
    source.send({ action: 'POST', json: { id: 5 } });
    await settled(source, ['FAULTY OPEN']);
    const second = await startRecords(world.database, { leaseMs: 1_000 });
    try {
      source.send({ action: 'PUT', json: { id: 5, name: 'right' } });
      await settled(source, ['FAULTY CLOSED']);
    } finally {
      await second.close();
    }
  });
});

describe('of a data-store record, an event', () => {
  it('takes over the sound values of the one that it replaces: an edit is not lost', async () => {
    const source = await world.connect('parts', domains.SERVICE_DATA_STORE);
    source.send({ action: 'POST', json: { id: 11, name: 'n', age: 'old', note: 'kept' } });
    await settled(source, ['NOT_VALID OPEN']);
    source.send({ action: 'PUT', json: { id: 11, age: 30 } });
    await settled(source, ['NOT_VALID CLOSED']);
    expect(await stored(11)).toEqual([{ id: 11, name: 'n', age: 30, note: 'kept' }]);
  });

  it('does not take over a value that another system has changed in the meantime', async () => {
    const source = await world.connect('overtaken', domains.SERVICE_DATA_STORE);
    const other = await world.connect('other', domains.SERVICE_DATA_STORE);
    source.send({ action: 'POST', json: { id: 12, name: 'n', note: 'first' } });
    await eventually(() => expect(other.applied).toHaveLength(1));
    source.send({ action: 'PUT', json: { id: 12, age: 'old', note: 'second' } });
    await settled(source, ['NOT_VALID OPEN']);
    other.send({ action: 'PUT', json: { id: 12, note: 'third' } });
    await eventually(() => expect(source.applied.map(({ event }) => event.jsonData).join()).toContain('third'));
    source.send({ action: 'PUT', json: { id: 12, age: 30 } });
    await settled(source, ['NOT_VALID CLOSED']);
    expect(await stored(12)).toEqual([{ id: 12, name: 'n', age: 30, note: 'third' }]);
  });

  it('replaces nothing when it only repeats an older value of its source, which a confirmation wrote back', async () => {
    const source = await world.connect('confirmed', domains.SERVICE_DATA_STORE);
    const other = await world.connect('crossing', domains.SERVICE_DATA_STORE);
    source.send({ action: 'POST', json: { id: 14, name: 'n', note: 'first' } });
    await eventually(() => expect(other.applied).toHaveLength(1));
    const seen = () => ({ epoch: source.applied.at(-1)?.epoch ?? 'none', applied: 0, begun: 0 });
    other.send({ action: 'PUT', json: { id: 14, name: 'o' } });
    await eventually(() => expect(source.applied).toHaveLength(1));
    // both were made before the message to the source was applied
    source.send({ action: 'PUT', json: { id: 14, note: 'second' }, seen: seen() });
    await eventually(() => expect(source.applied.at(-1)?.event.jsonData).toContain('second'));
    source.send({ action: 'PUT', json: { id: 14, age: 'old', note: 'third' }, seen: seen() });
    await settled(source, ['NOT_VALID OPEN']);
    source.send({ action: 'PUT', json: { id: 14, name: 'o', note: 'second' } });
    await settled(source, ['NOT_VALID OPEN', 'HELD OPEN']);
    // a user of the source corrects the record: this is another value than the confirmed one
    source.send({ action: 'PUT', json: { id: 14, age: 30, note: 'fourth' } });
    await eventually(async () => expect(await stored(14)).toEqual([{ id: 14, name: 'o', age: 30, note: 'fourth' }]));
    await settled(source, ['NOT_VALID CLOSED']);
  });

  it('waits behind the earlier one where the record would not be valid', async () => {
    const source = await world.connect('still wrong', domains.SERVICE_DATA_STORE);
    source.send({ action: 'POST', json: { id: 13, age: 'old' } });
    await settled(source, ['NOT_VALID OPEN']);
    source.send({ action: 'PUT', json: { id: 13, age: 30 } });
    await settled(source, ['NOT_VALID OPEN', 'HELD OPEN']);
    source.send({ action: 'PUT', json: { id: 13, name: 'n' } });
    await eventually(async () => expect(await stored(13)).toMatchObject([{ id: 13, name: 'n' }]));
  });
});

describe.each(['FEDERATED', 'SERVICE_DATA_STORE'] as const)(
  'a record of a %s domain whose DR Key is not valid',
  (type) => {
    const bad = { id: 'not a number', name: 'a' };

    it('leaves no open issue when its adaptor deletes it, or corrects the key', async () => {
      const source = await world.connect(`malformed ${type}`, domains[type]);
      source.send({ action: 'POST', json: bad });
      source.send({ action: 'PUT', json: { ID: 'not a number', name: 'b' } });
      source.send({ action: 'POST', json: { id: 'another', name: 'c' } });
      await settled(source, ['FAULTY OPEN', 'FAULTY OPEN', 'FAULTY OPEN']);
      const transactionUuid = '019acd00-0000-7000-8000-000000000002';
      source.send({ action: 'DELETE', drKey: { id: 'not a number' }, transactionUuid });
      source.send({ action: 'POST', json: { id: 90, name: 'right' } });
      await settled(source, ['FAULTY CLOSED', 'FAULTY CLOSED', 'FAULTY OPEN']);
      await eventually(() => expect(source.acknowledged).toBe(5));
      const [issue] = await world.database.prisma.dataIssue.findMany({
        where: { adaptorUuid: source.uuid },
        orderBy: { uuid: 'asc' },
      });
      expect(issue?.description).toBe(
        `A later complete event of the record replaced this one (transaction ${transactionUuid}).`,
      );
    });

    it('leaves none in one batch, nor when a person has closed its issue before', async () => {
      const source = await world.connect(`malformed batch ${type}`, domains[type]);
      source.lose({ action: 'POST', json: bad });
      source.lose({ action: 'DELETE', drKey: { id: bad.id } });
      source.lose({ action: 'DELETE', drKey: { id: bad.id } });
      source.sendBatch(1, 3);
      await eventually(() => expect(source.acknowledged).toBe(3));
      expect(await issues(source)).toEqual(['FAULTY CLOSED']);
      const again = await world.connect(`malformed closed ${type}`, domains[type]);
      again.send({ action: 'POST', json: bad });
      await settled(again, ['FAULTY OPEN']);
      await world.database.prisma.dataIssue.updateMany({
        where: { adaptorUuid: again.uuid },
        data: { status: 'CLOSED' },
      });
      again.send({ action: 'DELETE', drKey: { id: bad.id } });
      await eventually(() => expect(again.acknowledged).toBe(2));
      expect(await issues(again)).toEqual(['FAULTY CLOSED']);
    });

    it('leaves none behind many closed ones', async () => {
      const source = await world.connect(`malformed often ${type}`, domains[type]);
      source.send({ action: 'POST', json: bad });
      await settled(source, ['FAULTY OPEN']);
      await world.database.pool.query(
        `INSERT INTO data_issue (uuid, title, exception, status, adaptor_uuid, domain_version_uuid, cause, row_digest)
         SELECT overlay(gen_random_uuid()::text PLACING 'ffffffff' FROM 1)::uuid, title, exception, 'CLOSED', adaptor_uuid,
                domain_version_uuid, cause, row_digest
         FROM data_issue CROSS JOIN generate_series(1, 1000) WHERE adaptor_uuid = $1`,
        [source.uuid],
      );
      source.send({ action: 'DELETE', drKey: { id: bad.id } });
      await settled(
        source,
        Array.from({ length: 1001 }, () => 'FAULTY CLOSED'),
      );
    });

    it('is an issue when its adaptor has never reported it, or only a part of the key', async () => {
      const source = await world.connect(`malformed unknown ${type}`, domains[type]);
      source.send({ action: 'DELETE', drKey: { id: 'unknown' } });
      source.send({ action: 'DELETE', drKey: { id: 'unknown' } });
      source.send({ action: 'POST', json: { id: null, name: 'a' } });
      source.send({ action: 'DELETE', drKey: { id: null } });
      await eventually(() => expect(source.acknowledged).toBe(4));
      expect(await issues(source)).toEqual(['FAULTY OPEN', 'FAULTY OPEN', 'FAULTY OPEN', 'FAULTY OPEN']);
    });
  },
);

it('finds every row by an index in the statements of batches', async () => {
  expect(await findScans(world.database)).toEqual([]);
});
