import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adaptorSource, buildMessage, type AdaptorError } from '@fds/adaptor-protocol';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { parseJson } from '@fds/json';
import { eventually } from '@fds/testing';
import { v7 as newUuid } from 'uuid';
import { reportWindow, saveAcks } from '../../store/channels/delivery.js';
import { createBusAdaptor, type BusAdaptor } from '../../testing/bus-adaptor.js';
import { createCatalogSeed } from '../../testing/seed-catalog.js';
import { startRecords, type StartedRecords } from '../../testing/start-records.js';
import { createAdaptorErrorTaker } from './create-adaptor-error-taker.js';

const domain = 'Reported';
let database: TestDatabase;
let server: StartedRecords;
let zoneUuid: string;
let domainVersionUuid: string;
let source: BusAdaptor;
let destination: BusAdaptor;
let addAdaptor: (name: string) => Promise<BusAdaptor>;
let take: ReturnType<typeof createAdaptorErrorTaker>;
/** Reports are handled after this. */
let holdOps: Promise<void> = Promise.resolve();

beforeAll(async () => {
  database = await openTestDatabase();
  take = createAdaptorErrorTaker({ database });
  const seed = createCatalogSeed(database);
  zoneUuid = await seed.addZone('Zone');
  ({ domainVersionUuid } = await seed.addVersion({
    domainName: domain,
    domainType: 'FEDERATED',
    properties: { id: { type: 'integer' } },
    drKeyProperties: ['id'],
  }));
  server = await startRecords(database);
  addAdaptor = async (name) => {
    const uuid = await seed.addAdaptor({ name, zoneUuid, domains: [domain] });
    const adaptor = createBusAdaptor(server.bus, uuid, { domain, version: 1 });
    await adaptor.connect();
    return adaptor;
  };
  server.bus.handle('ops', async ({ adaptorUuid: reporter, payload }) => {
    await holdOps;
    const { data, id } = parseJson(Buffer.from(payload).toString()) as unknown as { data: AdaptorError; id: string };
    await take(reporter, data, { id, time: new Date() });
  });
  source = await addAdaptor('source');
  destination = await addAdaptor('destination');
  source.send({ action: 'POST', json: { id: 9223372036854775807n } });
  await eventually(() => expect(destination.applied).toHaveLength(1));
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
});

const newMessage = () => ({ id: newUuid(), time: new Date() });

/** The issue that the error leaves; earlier ones are put away. */
const issueAfter = async (error: Partial<AdaptorError>, adaptorUuid = destination.uuid) => {
  await database.pool.query('DELETE FROM data_issue');
  await take(adaptorUuid, { level: 'ERROR', kind: 'DATA', message: 'no such column', ...error }, newMessage());
  const issues = await database.prisma.dataIssue.findMany();
  expect(issues.length).toBeLessThanOrEqual(1);
  return issues[0];
};

const applied = () => {
  const [first] = destination.applied;
  if (first === undefined) throw new TypeError('nothing was applied');
  return first;
};

describe('an adaptor error', () => {
  it('with kind DATA becomes an issue that names the event by its number', async () => {
    const { sequence, event } = applied();
    const issue = await issueAfter({ sequence, transactionUuid: event.transactionUuid });
    expect(issue).toMatchObject({
      exception: 'ADAPTOR',
      status: 'OPEN',
      zoneUuid,
      adaptorUuid: destination.uuid,
      domainVersionUuid,
      recordUuid: event.drUuid,
      keyDigest: null,
    });
    expect(parseJson(issue?.errors ?? '')).toEqual([{ pointer: '', code: 'ADAPTOR', detail: 'no such column' }]);
    expect(parseJson(issue?.dataEvent ?? '')).toMatchObject({
      action: 'POST',
      drUuid: event.drUuid,
      transactionUuid: event.transactionUuid,
    });
  });

  it('finds the event by its transaction alone, also when its content is dropped, with every digit of its key', async () => {
    const { event } = applied();
    await database.pool.query('UPDATE delivery SET message = NULL WHERE adaptor_uuid = $1', [destination.uuid]);
    const issue = await issueAfter({ transactionUuid: event.transactionUuid });
    expect(issue?.recordUuid).toBe(event.drUuid);
    expect(parseJson(issue?.dataEvent ?? '')).toMatchObject({ drKey: { id: 9223372036854775807n } });
  });

  it('makes its message FAILED, which an acknowledgement leaves so; a warning and the name of a record alone do not', async () => {
    const { sequence, event } = applied();
    const status = async (): Promise<string | undefined> =>
      (await database.prisma.delivery.findFirst({ where: { adaptorUuid: destination.uuid } }))?.status;
    await database.pool.query(`UPDATE delivery SET status = 'APPLIED' WHERE adaptor_uuid = $1`, [destination.uuid]);
    expect(await issueAfter({ sequence, level: 'WARN' })).toBeUndefined();
    await issueAfter({ drUuid: event.drUuid });
    expect(await status()).toBe('APPLIED');
    await issueAfter({ sequence });
    expect(await status()).toBe('FAILED');
    // so much is acknowledged after it that it leaves the window
    const acknowledge = (acked: number, last: number) =>
      database.pool.query('UPDATE adaptor_channel SET down_acked = $2, down_sequence = $3 WHERE adaptor_uuid = $1', [
        destination.uuid,
        acked,
        last,
      ]);
    const last = sequence + reportWindow;
    await acknowledge(0, last);
    const [epoch] = destination.applied.map((message) => message.epoch);
    await saveAcks(database.pool, [{ adaptorUuid: destination.uuid, epoch: epoch ?? '', upto: last }]);
    expect(await status()).toBe('FAILED');
    await acknowledge(sequence, sequence);
  });

  it('names the record alone where the event is not among those just sent', async () => {
    const { drUuid } = applied().event;
    const issue = await issueAfter({ drUuid, transactionUuid: randomUUID() });
    expect(issue).toMatchObject({ recordUuid: drUuid, domainVersionUuid, dataEvent: null });
  });

  it('that names nothing known is an issue of the adaptor', async () => {
    for (const error of [{}, { sequence: 99 }, { drUuid: randomUUID() }]) {
      expect(await issueAfter(error)).toMatchObject({ adaptorUuid: destination.uuid, recordUuid: null });
    }
  });

  it('has the title of the adaptor, in one line of limited length, and its text as detail', async () => {
    const title = 'The system refused the row: first_name\nmust not be empty';
    const said = await issueAfter({ title, message: 'null value in column "first_name"' });
    expect(said?.title).toBe('The system refused the row: first_name must not be empty');
    expect(parseJson(said?.errors ?? '')).toMatchObject([{ detail: 'null value in column "first_name"' }]);
    const long = await issueAfter({ title: '\u{1F600}'.repeat(1_000), message: 'x'.repeat(100_000) });
    expect(long?.title).toBe('\u{1F600}'.repeat(127));
    expect(parseJson(long?.errors ?? '')).toMatchObject([{ detail: 'x'.repeat(4_000) }]);
    expect((await issueAfter({ title: '  ' }))?.title).toBe('The adaptor cannot handle the event');
  });

  it('finds a message far behind the first one that the adaptor has not acknowledged', async () => {
    const { sequence, event } = applied();
    const setUp = (acked: number, sent: number) =>
      database.pool.query('UPDATE adaptor_channel SET down_acked = $2, down_sent = $3 WHERE adaptor_uuid = $1', [
        destination.uuid,
        acked,
        sent,
      ]);
    await setUp(sequence - 5_000, sequence);
    expect(await issueAfter({ sequence })).toMatchObject({ recordUuid: event.drUuid });
    expect((await issueAfter({ transactionUuid: event.transactionUuid }))?.dataEvent).not.toBeNull();
    await setUp(sequence, sequence);
  });

  it('of another kind, or of an adaptor that is gone, leaves none', async () => {
    expect(await issueAfter({ kind: 'SOURCE' })).toBeUndefined();
    expect(await issueAfter({ kind: 'CONFIGURATION' })).toBeUndefined();
    expect(await issueAfter({}, randomUUID())).toBeUndefined();
  });

  it('leaves one issue however often and by however many processes its message is received', async () => {
    const message = newMessage();
    const error = { level: 'ERROR', kind: 'DATA', message: 'no such column' } as const;
    await database.pool.query('DELETE FROM data_issue');
    const processes = [take, createAdaptorErrorTaker({ database })];
    await Promise.all([...processes, ...processes].map((one) => one(destination.uuid, error, message)));
    await take(destination.uuid, error, message);
    const issues = await database.prisma.dataIssue.findMany();
    expect(issues).toHaveLength(1);
    expect(await database.prisma.changeLogEntry.count({ where: { resourceUuid: issues[0]?.uuid ?? '' } })).toBe(1);
    await take(destination.uuid, error, newMessage());
    expect(await database.prisma.dataIssue.count()).toBe(2);
  });

  it('is in the change log, caused by the adaptor', async () => {
    const issue = await issueAfter({});
    const entry = await database.prisma.changeLogEntry.findFirst({ where: { resourceUuid: issue?.uuid ?? '' } });
    expect(entry).toMatchObject({ action: 'POST', resourceType: 'DataIssue', zoneUuid, actorUuid: destination.uuid });
  });
});

describe.each([
  ['an acknowledgement', false],
  ['the position of a hello after a reconnect', true],
])('%s', (_what, isHello) => {
  it('waits for the reports that arrived before it: a refused message is never shown as applied', async () => {
    const control = await addAdaptor(`control ${isHello}`);
    const refusing = await addAdaptor(`refusing ${isHello}`);
    const { uuid: adaptorUuid } = refusing;
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    holdOps = held;
    const sequence = refusing.applied.length + 1;
    const data: AdaptorError = { level: 'ERROR', kind: 'DATA', message: 'refused', sequence };
    const envelope = { id: newUuid(), source: adaptorSource(adaptorUuid), time: new Date().toISOString() };
    const acked = async (of: BusAdaptor) =>
      Number((await database.prisma.adaptorChannel.findUniqueOrThrow({ where: { adaptorUuid: of.uuid } })).downAcked);
    const sayReport = (): void =>
      server.bus.publishUp(
        adaptorUuid,
        'ops',
        buildMessage('up/ops', { ...envelope, type: 'fds.adaptor.error.v1', data }),
      );
    // the connection breaks after the messages: their acknowledgements are lost
    if (isHello) refusing.loseAcks();
    else sayReport();
    for (const id of isHello ? [30, 31] : [20, 21]) {
      const before = control.applied.length;
      source.send({ action: 'POST', json: { id } });
      await eventually(async () => expect(await acked(control)).toBe(before + 1));
    }
    expect(refusing.applied.length).toBeGreaterThan(sequence);
    const greeted = isHello ? (sayReport(), refusing.connect()) : undefined;
    // another adaptor's handshake takes its whole way in the meantime
    await control.connect();
    expect(await acked(refusing)).toBeLessThan(sequence);
    release();
    await greeted;
    await eventually(async () => expect(await acked(refusing)).toBe(sequence + 1));
    const { status } = await database.prisma.delivery.findFirstOrThrow({
      where: { adaptorUuid, sequence: BigInt(sequence) },
    });
    expect(status).toBe('FAILED');
  });
});
