import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AdaptorError } from '@fds/adaptor-protocol';
import { eventually } from '@fds/testing';
import { v7 as newUuid } from 'uuid';
import { reportWindow, saveAcks } from '../../store/channels/delivery.js';
import type { BusAdaptor } from '../../testing/bus-adaptor.js';
import { openRecordsWorld, type RecordsWorld } from '../../testing/open-records-world.js';
import { createAdaptorErrorTaker } from './create-adaptor-error-taker.js';

const domain = 'Skipped';
let world: RecordsWorld;
let source: BusAdaptor;
let destination: BusAdaptor;

beforeAll(async () => {
  world = await openRecordsWorld();
  await world.seed.addVersion({
    domainName: domain,
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' }, name: { type: 'string' }, note: { type: 'string' } },
    drKeyProperties: ['id'],
  });
  source = await world.connect('source', domain);
  destination = await world.connect('destination', domain);
});
afterAll(() => world?.close());

type Json = Readonly<Record<string, string | number>>;

const report = async (error: Partial<AdaptorError>): Promise<void> => {
  const take = createAdaptorErrorTaker({ database: world.database });
  await take(
    destination.uuid,
    { level: 'WARN', kind: 'DATA', message: 'the column is read-only', properties: ['note'], ...error },
    { id: newUuid(), time: new Date() },
  );
};

/** Reports a record, and waits until the other adaptor has applied what it is sent. */
const send = async (from: BusAdaptor, json: Json) => {
  const to = from === source ? destination : source;
  const before = to.applied.length;
  from.send({ action: 'PUT', json });
  const { sequence, event } = await eventually(
    () => to.applied[before] ?? Promise.reject(new Error('nothing was applied')),
  );
  await eventually(async () => {
    const channel = await world.database.prisma.adaptorChannel.findUnique({ where: { adaptorUuid: to.uuid } });
    expect(Number(channel?.downAcked)).toBe(to.applied.length);
  });
  return { sequence, event, values: JSON.parse(event.jsonData) as Json };
};

const quietly = async (from: BusAdaptor, json: Json): Promise<void> => {
  const before = from.acknowledged;
  from.send({ action: 'PUT', json });
  await eventually(() => expect(from.acknowledged).toBe(before + 1));
};

/** Both hold the record; then the destination applies a message without `note`. */
const skipNote = async (id: number) => {
  await send(source, { id, name: 'a', note: 'old' });
  await quietly(destination, { id, name: 'a', note: 'old' });
  const message = await send(source, { id, name: 'b', note: 'new' });
  expect(message.event.changed?.toSorted()).toEqual(['name', 'note']);
  return message;
};

/** The adaptor has acknowledged so much since that the message has lost its content. */
const leaveWindow = async (sequence: number): Promise<void> => {
  const { pool } = world.database;
  const upto = sequence + reportWindow;
  const epoch = destination.applied.at(-1)?.epoch ?? '';
  const move = (acked: number, last: number) =>
    pool.query('UPDATE adaptor_channel SET down_acked = $2, down_sequence = $3 WHERE adaptor_uuid = $1', [
      destination.uuid,
      acked,
      last,
    ]);
  await move(sequence, upto + 1);
  await saveAcks(pool, [{ adaptorUuid: destination.uuid, epoch, upto: upto + 1 }]);
};
const returnTo = (sequence: number) =>
  world.database.pool.query('UPDATE adaptor_channel SET down_acked = $2, down_sequence = $2 WHERE adaptor_uuid = $1', [
    destination.uuid,
    sequence,
  ]);

describe('a warning that names properties which the destination could not apply', () => {
  it.each([
    ['at once', false],
    ['long after the acknowledgement', true],
  ])('makes its former values no changes, and is shown: %s', async (_when, isLate) => {
    const id = isLate ? 2 : 1;
    const { sequence, event } = await skipNote(id);
    if (isLate) await leaveWindow(sequence);
    await report({ drUuid: event.drUuid, transactionUuid: event.transactionUuid });
    if (isLate) await returnTo(sequence);
    const shown = await world.database.prisma.delivery.findFirst({
      where: { adaptorUuid: destination.uuid, sequence: BigInt(sequence) },
    });
    expect(shown).toMatchObject({
      status: isLate ? 'APPLIED' : 'QUEUED',
      notApplied: { 'the column is read-only': ['note'] },
    });

    // a person changes the name there: the row has the former note
    const change = await send(destination, { id, name: 'c', note: 'old' });
    expect(change.values).toEqual({ id, name: 'c' });
    // the note is not sent again before it changes
    expect((await send(source, { id, name: 'd', note: 'new' })).event.changed).toEqual(['name']);
    expect((await send(destination, { id, name: 'e', note: 'old' })).event.changed).toEqual(['name']);
    expect((await send(source, { id, name: 'd', note: 'newer' })).event.changed?.toSorted()).toEqual(['name', 'note']);
    // another value than the former one is a change
    expect((await send(destination, { id, name: 'd', note: 'own' })).event.changed).toEqual(['note']);
  });

  it.each([
    ['a new record', true],
    ['a record of which the destination never reported the property', false],
  ])('takes the first value that the destination reports as the former one: %s', async (_what, isNew) => {
    const id = isNew ? 6 : 7;
    if (!isNew) {
      await send(source, { id, name: 'a' });
      await quietly(destination, { id, name: 'a' });
    }
    const { event } = await send(source, { id, name: 'b', note: 'new' });
    await report({ drUuid: event.drUuid, transactionUuid: event.transactionUuid });
    // a person changes the name there: the row has its own note
    expect((await send(destination, { id, name: 'c', note: 'default' })).event.changed).toEqual(['name']);
    expect((await send(destination, { id, name: 'd', note: 'default' })).event.changed).toEqual(['name']);
    expect((await send(destination, { id, name: 'd', note: 'own' })).event.changed).toEqual(['note']);
  });

  it('does not take an edit of just the property for its former value', async () => {
    const { event } = await send(source, { id: 8, name: 'b', note: 'new' });
    await report({ drUuid: event.drUuid, transactionUuid: event.transactionUuid });
    expect((await send(destination, { id: 8, name: 'b', note: 'own' })).event.changed).toEqual(['note']);
  });

  it('does not keep a person from the former value once the destination has the new one', async () => {
    const { event } = await skipNote(3);
    await report({ drUuid: event.drUuid, transactionUuid: event.transactionUuid });
    await quietly(destination, { id: 3, name: 'b', note: 'new' });
    expect((await send(destination, { id: 3, name: 'b', note: 'old' })).event.changed).toEqual(['note']);
  });
});

describe('a warning that arrives while a message is being queued', () => {
  it('keeps the content that the destination is sent', async () => {
    const { event } = await skipNote(5);
    const { drUuid: recordUuid, transactionUuid } = event;
    const { database } = world;
    let reported: Promise<void> | undefined;
    await database.transaction(async (client) => {
      await client.query('SELECT FROM adaptor_channel WHERE adaptor_uuid = $1 FOR NO KEY UPDATE', [destination.uuid]);
      await client.query('SELECT FROM data_record WHERE uuid = $1 FOR NO KEY UPDATE', [recordUuid]);
      await client.query(
        `UPDATE record_link SET known_content = known_content || '{"name": "queued"}' WHERE record_uuid = $1 AND adaptor_uuid = $2`,
        [recordUuid, destination.uuid],
      );
      reported = report({ drUuid: recordUuid, transactionUuid });
      await eventually(async () => {
        const { rowCount } = await database.pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
             AND query LIKE '%FOR NO KEY UPDATE%'`,
        );
        expect(rowCount).toBeGreaterThan(0);
      });
    });
    await reported;
    const link = await database.prisma.recordLink.findFirst({ where: { recordUuid, adaptorUuid: destination.uuid } });
    expect(link?.knownContent).toMatchObject({ name: 'queued', _fdsSkipped: expect.stringContaining('note') });
  });
});

describe('a refusal that is reported long after the acknowledgement', () => {
  it('makes its message FAILED, and its values are sent again', async () => {
    const { sequence, event } = await skipNote(4);
    await leaveWindow(sequence);
    await report({ level: 'ERROR', drUuid: event.drUuid, transactionUuid: event.transactionUuid });
    await returnTo(sequence);
    const failed = await world.database.prisma.delivery.findFirst({
      where: { adaptorUuid: destination.uuid, sequence: BigInt(sequence) },
    });
    expect(failed?.status).toBe('FAILED');
    expect((await send(source, { id: 4, name: 'b', note: 'newer' })).event.changed?.toSorted()).toEqual([
      'id',
      'name',
      'note',
    ]);
  });
});
