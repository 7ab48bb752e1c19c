import { randomUUID as newUuid } from 'node:crypto';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { createLog } from '@fds/service';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { openSignInAudit, type SignIn } from './sign-in-audit.js';

let database: TestDatabase;
let clock = 0;
let exceeded = 0;
beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  exceeded = 0;
  await database.prisma.changeLogEntry.deleteMany();
});
afterAll(() => database?.drop());

const actorUuid = newUuid();
const signIn: SignIn = {
  actorUuid,
  way: 'CLIENT_CREDENTIALS',
  resource: '/oauth2/token',
  clientId: 'etl',
  address: '10.0.0.1',
  userAgent: 'curl/8',
};
const open = (flushMs = 1_000) =>
  openSignInAudit({
    database,
    flushMs,
    log: createLog('silent'),
    now: () => new Date(Date.now() + clock),
    onExceeded: () => (exceeded += 1),
  });
const written = async () => {
  const rows = await database.prisma.changeLogEntry.findMany({ orderBy: { position: 'asc' } });
  return rows.map(({ resourceType, actorUuid: actor, data }) => ({
    resourceType,
    actor,
    data: JSON.parse(data ?? '{}') as Record<string, unknown>,
  }));
};

it('writes two entries for a client that is busy for an hour: the first token, and the number of the others', async () => {
  const audit = open();
  for (let time = 0; time < 5_000; time += 1) audit.record(signIn);
  await audit.close();
  const { actorUuid: actor, resource: _, ...data } = signIn;
  expect(await written()).toEqual([
    { resourceType: 'SignIn', actor, data: { ...data, count: 1 } },
    { resourceType: 'SignIn', actor, data: { ...data, count: 4_999 } },
  ]);
});

it('writes a first sign-in at once, before the changes that follow it', async () => {
  const audit = open(3_600_000);
  audit.record(signIn);
  await eventually(async () => expect(await written()).toHaveLength(1));
  await audit.close();
});

it('cuts what a client writes about itself, and counts a client that always writes something else', async () => {
  const audit = open();
  for (let time = 0; time < 1_000; time += 1)
    audit.record({ ...signIn, userAgent: `${time} ${'ü'.repeat(10_000)}`, clientId: 'x'.repeat(100_000) });
  await audit.close();
  const rows = await written();
  expect(rows).toHaveLength(21);
  expect(rows.at(-1)).toEqual({ resourceType: 'SignIn', actor: actorUuid, data: { way: 'OTHERS', count: 980 } });
  for (const { data } of rows) expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(700);
  expect(exceeded).toBe(980);
});

it('keeps a bounded number of kinds for all actors together', async () => {
  const audit = open();
  for (let actor = 0; actor < 1_100; actor += 1) {
    const holder = newUuid();
    for (let kind = 0; kind < 20; kind += 1) audit.record({ ...signIn, actorUuid: holder, userAgent: `${kind}` });
  }
  expect(exceeded).toBe(2_000);
  await audit.close();
});
