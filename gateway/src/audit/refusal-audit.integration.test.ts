import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { createLog } from '@fds/service';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { openRefusalAudit, type Refusal } from './refusal-audit.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(() => database.prisma.changeLogEntry.deleteMany());
afterAll(() => database?.drop());

const zoneUuid = '018f0000-0000-7000-8000-000000000001';
const actorUuid = '018f0000-0000-7000-8000-000000000002';
const refusal: Refusal = {
  actorUuid,
  action: 'GET',
  resource: `/zones/${zoneUuid}/users`,
  code: 'FORBIDDEN',
  detail: 'not granted',
  address: '10.0.0.1',
};
const open = (maxActorKinds?: number) =>
  openRefusalAudit({
    database,
    log: createLog('silent'),
    now: () => new Date(),
    ...(maxActorKinds === undefined ? {} : { maxActorKinds }),
  });

const written = async () => {
  const rows = await database.prisma.changeLogEntry.findMany({ orderBy: { position: 'asc' } });
  return rows.map(({ resourceType, resource, actorUuid: actor, zoneUuid: zone, data }) => ({
    resourceType,
    resource,
    actor,
    zone,
    data: JSON.parse(data ?? '{}') as Record<string, unknown>,
  }));
};

it('writes the first refusal of a kind, and later the number of its repetitions', async () => {
  const audit = open();
  for (let time = 0; time < 500; time += 1) audit.record(refusal);
  audit.record({ ...refusal, actorUuid: undefined, resource: '/graphql', code: 'UNAUTHENTICATED' });
  await audit.close();
  const data = { action: 'GET', code: 'FORBIDDEN', detail: 'not granted', address: '10.0.0.1' };
  const entry = { resourceType: 'RefusedAccess', resource: refusal.resource, actor: actorUuid, zone: zoneUuid };
  expect(await written()).toEqual([
    { ...entry, data: { ...data, count: 1 } },
    {
      resourceType: 'RefusedAccess',
      resource: '/graphql',
      actor: null,
      zone: null,
      data: { ...data, code: 'UNAUTHENTICATED', count: 1 },
    },
    { ...entry, data: { ...data, count: 499 } },
  ]);
});

it('writes at most the allowed number of refusals, and counts the others', async () => {
  const audit = open(3);
  for (let time = 0; time < 50; time += 1) audit.record({ ...refusal, resource: `/x/${time}` });
  await audit.close();
  const rows = await written();
  expect(rows).toHaveLength(4);
  expect(rows.at(-1)?.data).toMatchObject({ code: 'OTHERS', count: 47 });
});

it('writes the refusals of a named person after anonymous callers have filled their budget', async () => {
  const audit = open();
  for (let time = 0; time < 1_000; time += 1)
    audit.record({ ...refusal, actorUuid: undefined, resource: `/x/${time}`, code: 'UNAUTHENTICATED' });
  audit.record(refusal);
  await audit.close();
  const rows = await written();
  expect(rows.filter(({ actor }) => actor === actorUuid)).toMatchObject([
    { resource: refusal.resource, data: { code: 'FORBIDDEN', count: 1 } },
  ]);
  expect(rows.filter(({ actor, data }) => actor === null && data['code'] === 'OTHERS')).toMatchObject([
    { data: { count: 900 } },
  ]);
});
