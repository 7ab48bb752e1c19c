import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AssemblyRequest, AssemblyResponse } from '@fds/assembly-contract';
import { AppError } from '@fds/errors';
import type { JsonObject } from '@fds/json';
import { logCatalogChange } from '../../testing/log-catalog-change.js';
import {
  openReferenceWorld,
  type ReferenceWorld,
  type TestAdaptor,
  type TestVersion,
} from '../../testing/reference-world.js';

let world: ReferenceWorld;
let [person, company, country]: TestVersion[] = [];
let [crm, shop, erp, dun]: TestAdaptor[] = [];

const required = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('the world of the test is not ready');
  return value;
};

const assemble = (request: AssemblyRequest): Promise<AssemblyResponse> =>
  world.subgraph.assembler.assemble({ expandRefs: true, ...request }, world.principal);

const refusal = async (request: AssemblyRequest): Promise<AppError> => {
  try {
    await assemble(request);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the request was answered');
};

const refTo = (uuid: string): JsonObject => ({ $ref: `/drs/${uuid}` });
const dataOf = ({ assembledDataRecords }: AssemblyResponse) => assembledDataRecords.map(({ data }) => data);

/** Messages by adaptor, with the records of each. */
const messages = () =>
  world.sent
    .map(({ adaptor, question }) => `${adaptor} ${question.domain} ${question.records?.length ?? 'all'}`)
    .sort();

const outcomes = ({ completeness }: AssemblyResponse) =>
  completeness.map(({ adaptorUuid, outcome, level = 0, domain = '' }) => {
    const name = [crm, shop, erp, dun].find((adaptor) => adaptor?.uuid === adaptorUuid)?.name ?? '-';
    return `${level} ${name} ${domain} ${outcome}`.replaceAll('  ', ' ');
  });

/** Ada and Bob work at Acme in Utopia, whose head is Ada. */
let people: { readonly ada: string; readonly bob: string; readonly acme: string; readonly utopia: string };

beforeAll(async () => {
  world = await openReferenceWorld();
  const reference = (to: string, more: JsonObject = {}): JsonObject => ({ $ref: `/domains/${to}`, ...more });
  person = await world.addVersion(
    'person',
    'FEDERATED',
    {
      properties: {
        id: { type: 'integer' },
        team: { type: 'integer' },
        name: { type: 'string' },
        employer: reference('company:v1'),
        employerName: reference('company:v1/name'),
        former: reference('company:v1', { multivalued: true, sort: '-id', limit: 3 }),
        mates: reference('person:v1', { multivalued: true, sort: 'id', query: 'team:${team}' }),
        home: { type: 'object', properties: { country: reference('country:v1') } },
        trips: { type: 'array', items: { type: 'object', properties: { to: reference('country:v1') } } },
      },
    },
    ['id', 'team'],
  );
  company = await world.addVersion(
    'company',
    'FEDERATED',
    { properties: { id: { type: 'integer' }, name: { type: 'string' }, country: reference('country:v1') } },
    ['id'],
  );
  country = await world.addVersion(
    'country',
    'SERVICE_DATA_STORE',
    { properties: { code: { type: 'string' }, head: reference('person:v1') } },
    ['code'],
  );
  crm = await world.addAdaptor('crm', [person]);
  shop = await world.addAdaptor('shop', [person]);
  erp = await world.addAdaptor('erp', [company]);
  dun = await world.addAdaptor('dun', [company], world.foreignZoneUuid);
  const utopia = await world.addRecord(country, { code: 'UT' });
  const acme = await world.addRecord(company, { id: 1, name: 'Acme', country: refTo(utopia) }, [erp, dun]);
  const ada = await world.addRecord(
    person,
    { id: 1, team: 0, name: 'Ada', employer: refTo(acme), employerName: 1, mates: [] },
    [crm, shop],
  );
  const bob = await world.addRecord(person, { id: 2, team: 9, name: 'Bob', employer: 1, mates: [] }, [crm]);
  await world.database.pool.query('UPDATE data_record SET json = $2::jsonb WHERE uuid = $1', [
    utopia,
    JSON.stringify({ code: 'UT', head: refTo(bob) }),
  ]);
  people = { ada, bob, acme, utopia };
});

beforeEach(() => world.clear());

afterAll(() => world.close());

describe('expanded references', () => {
  it('nest three levels over two federated domains and a data store, with one message for each adaptor and level', async () => {
    const response = await assemble({ domain: 'person', drUuids: [people.ada], maxRefDepth: 3 });
    expect(dataOf(response)).toEqual([
      {
        id: 1,
        team: 0,
        name: 'Ada',
        employer: {
          id: 1,
          name: 'Acme',
          country: { code: 'UT', head: { id: 2, team: 9, name: 'Bob', employer: 1, mates: [] } },
        },
        employerName: 'Acme',
        mates: [],
      },
    ]);
    expect(messages()).toEqual(['crm person 1', 'crm person 1', 'dun company 1', 'erp company 1', 'shop person 1']);
    expect(outcomes(response)).toEqual([
      '0 crm ANSWERED',
      '0 shop ANSWERED',
      '1 dun company ANSWERED',
      '1 erp company ANSWERED',
      '3 crm person ANSWERED',
    ]);
    expect(response.assembledDataRecords[0]).toMatchObject({ status: 'PREFERRED_COMPLETE' });
    expect(response.assembledDataRecords[0]).not.toHaveProperty('incompleteReferences');
    expect(response.virtualizationRequest).toMatchObject({ expandRefs: true });
  });

  it('need one message for any number of records and references, and ask the adaptors of a level at the same time', async () => {
    const companies: string[] = [];
    for (let id = 100; id < 150; id += 1) {
      companies.push(await world.addRecord(required(company), { id, name: `C${id}` }, [required(erp), required(dun)]));
    }
    const staff: string[] = [];
    for (let id = 100; id < 140; id += 1) {
      const employer = refTo(companies[id - 100] ?? '');
      const former = [id, id + 1, id + 2];
      staff.push(
        await world.addRecord(required(person), { id, team: id, employer, former, mates: [] }, [required(crm)]),
      );
    }
    world.clear();
    required(erp).manner = 60;
    required(dun).manner = 60;
    const response = await assemble({ domain: 'person', drUuids: staff, size: 100, maxRefDepth: 1, maxRefSize: 2 });
    expect(messages()).toEqual(['crm person 40', 'dun company 42', 'erp company 42']);
    // neither question waits for the answer to the other
    const [first, second] = world.sent.filter(({ adaptor }) => adaptor !== 'crm');
    expect(required(first).answersBefore).toBe(required(second).answersBefore);
    const shown = dataOf(response).find(({ id }) => id === 103);
    expect(shown).toMatchObject({ employer: { name: 'C103' }, former: [{ name: 'C105' }, { name: 'C104' }] });
  });

  it('do not ask for a record twice', async () => {
    const uuid = await world.addRecord(
      required(person),
      { id: 30, team: 30, mates: [{ id: 31, team: 30 }], name: 'first' },
      [required(crm)],
    );
    const other = await world.addRecord(
      required(person),
      { id: 31, team: 30, mates: [{ id: 30, team: 30 }], name: 'second' },
      [required(crm)],
    );
    world.clear();
    const response = await assemble({ drUuids: [uuid, other] });
    expect(messages()).toEqual(['crm person 2']);
    const [first, second] = dataOf(response);
    expect([first?.['mates'], second?.['mates']]).toEqual([
      [{ id: 31, team: 30, name: 'second', mates: [refTo(uuid)] }],
      [{ id: 30, team: 30, name: 'first', mates: [refTo(other)] }],
    ]);
  });

  it('are null, or left out of a list, if they lead to no record', async () => {
    const nowhere = refTo('00000000-0000-4000-8000-000000000000');
    const uuid = await world.addRecord(
      required(person),
      {
        id: 40,
        team: 40,
        employer: nowhere,
        employerName: 12345,
        former: [nowhere, 1],
        home: { country: 'XX' },
        trips: [{ to: 'UT' }, { to: 'XX' }],
        mates: [],
      },
      [required(crm)],
    );
    const [data] = dataOf(await assemble({ drUuids: [uuid], maxRefDepth: 1 }));
    expect(data).toMatchObject({
      employer: null,
      employerName: null,
      former: [{ name: 'Acme' }],
      home: { country: null },
      trips: [{ to: { code: 'UT' } }, { to: null }],
    });
  });

  it('use the query of the model with the values of the record', async () => {
    const add = (id: number) => world.addRecord(required(person), { id, team: 77, name: `P${id}` }, [required(crm)]);
    const [first] = [await add(70), await add(71), await add(72)];
    world.clear();
    const [data] = dataOf(await assemble({ drUuids: [required(first)], maxRefDepth: 1, maxRefSize: 2 }));
    expect(data?.['mates']).toEqual([refTo(required(first)), { id: 71, team: 77, name: 'P71' }]);
    const [all] = dataOf(await assemble({ drUuids: [required(first)], maxRefDepth: 1, maxRefSize: 5 }));
    expect(all?.['mates']).toHaveLength(3);
  });

  it('are expanded only if the request says so', async () => {
    const plain = await assemble({ drUuids: [people.ada], expandRefs: false });
    expect(dataOf(plain)[0]).toMatchObject({ employer: refTo(people.acme), employerName: 1 });
    expect(messages()).toEqual(['crm person 1', 'shop person 1']);
    expect(plain.completeness.every(({ level }) => level === undefined)).toBe(true);
    world.clear();
    const some = await assemble({ drUuids: [people.ada], requestedProperties: ['name', 'EMPLOYER'], maxRefDepth: 1 });
    expect(dataOf(some)).toEqual([{ name: 'Ada', employer: { id: 1, name: 'Acme', country: refTo(people.utopia) } }]);
    world.clear();
    expect(dataOf(await assemble({ drUuids: [people.ada], requestedProperties: ['name'] }))).toEqual([{ name: 'Ada' }]);
    expect(messages()).toEqual(['crm person 1', 'shop person 1']);
  });

  it('use the parameters, adaptors and priorities of the request', async () => {
    const request = { drUuids: [people.ada], maxRefDepth: 1, additionalParams: { timestamp: 5 } };
    required(erp).records.set(people.acme, { id: 1, name: 'by erp' });
    required(dun).records.set(people.acme, { id: 1, name: 'by dun' });
    const gold = async (adaptor: TestAdaptor) => {
      world.clear();
      const adaptors = [crm, erp, dun].map((each) => required(each).uuid);
      const [data] = dataOf(await assemble({ ...request, adaptors, goldAdaptors: [adaptor.uuid] }));
      return data?.['employer'];
    };
    expect(await gold(required(erp))).toMatchObject({ name: 'by erp' });
    expect(await gold(required(dun))).toMatchObject({ name: 'by dun' });
    expect(messages()).toEqual(['crm person 1', 'dun company 1', 'erp company 1']);
    expect(world.sent.map(({ question }) => question.additionalParams)).toEqual(
      world.sent.map(() => ({ timestamp: 5 })),
    );
    world.clear();
    const named = await assemble({ ...request, adaptors: [required(crm).uuid] });
    expect(messages()).toEqual(['crm person 1']);
    expect(named.assembledDataRecords[0]).toMatchObject({
      status: 'PREFERRED_PARTIAL',
      data: { employer: refTo(people.acme) },
      incompleteReferences: [
        { pointer: '/employer', uuid: people.acme, status: 'UNAVAILABLE' },
        { pointer: '/employerName', uuid: people.acme, status: 'UNAVAILABLE' },
      ],
    });
    const data = { id: 1, name: 'Acme', country: refTo(people.utopia) };
    for (const adaptor of [erp, dun]) required(adaptor).records.set(people.acme, data);
  });

  it('list the incomplete records when an adaptor of a deeper level fails, is down or is late', async () => {
    required(dun).manner = 'ERROR';
    const failed = await assemble({ drUuids: [people.ada], maxRefDepth: 1 });
    expect(outcomes(failed)).toContain('1 dun company FAILED');
    expect(failed.assembledDataRecords[0]).toMatchObject({
      status: 'PREFERRED_PARTIAL',
      data: { employer: { name: 'Acme' } },
      incompleteReferences: [{ pointer: '/employer', status: 'PREFERRED_PARTIAL' }, { pointer: '/employerName' }],
    });

    world.clear();
    required(erp).manner = 'SILENT';
    required(dun).manner = 'ERROR';
    const late = await assemble({ drUuids: [people.ada], maxRefDepth: 1, timeout: 1 });
    const asked = world.sent.find(({ adaptor }) => adaptor === 'erp')?.question;
    expect(asked?.timeoutMilliseconds).toBeLessThanOrEqual(1_000);
    expect(outcomes(late)).toEqual(expect.arrayContaining(['1 erp company LATE', '1 dun company FAILED']));
    expect(late.assembledDataRecords[0]).toMatchObject({
      status: 'PREFERRED_PARTIAL',
      data: { employer: refTo(people.acme), employerName: refTo(people.acme) },
    });

    world.clear();
    const states = (state: string) =>
      world.database.prisma.adaptor.updateMany({ where: { name: { in: ['erp', 'dun'] } }, data: { state } });
    await states('DOWN');
    const down = await assemble({ drUuids: [people.ada], maxRefDepth: 1 });
    await states('STARTED');
    expect(messages()).toEqual(['crm person 1', 'shop person 1']);
    expect(outcomes(down)).toContain('1 erp company DOWN');
  });

  it('have the rest of the time-out, and no time when it is used up', async () => {
    required(crm).manner = 700;
    required(erp).manner = 700;
    required(dun).manner = 700;
    const rest = await assemble({ drUuids: [people.bob], maxRefDepth: 1, timeout: 1 });
    expect(outcomes(rest)).toEqual(['0 crm ANSWERED', '1 dun company LATE', '1 erp company LATE']);
    const sentAt = world.sent.find(({ adaptor }) => adaptor === 'erp')?.question.timeoutMilliseconds;
    expect(sentAt).toBeLessThan(320);

    world.clear();
    required(shop).manner = 'SILENT';
    const none = await assemble({ drUuids: [people.ada], timeout: 1 });
    expect(outcomes(none)).toEqual(['0 crm ANSWERED', '0 shop LATE', '1 dun company LATE', '1 erp company LATE']);
    expect(messages()).toEqual(['crm person 1', 'shop person 1']);
    expect(dataOf(none)[0]).toMatchObject({ employer: refTo(people.acme) });
  });

  it('count a denied adaptor of a deeper level without its name', async () => {
    const { database, foreignZoneUuid: zoneUuid } = world;
    const uuid = '11111111-0000-4000-8000-000000000000';
    const entry = { uuid, zoneUuid, chain: 'OUTBOUND', position: 0, sourceAdaptorUuid: required(dun).uuid };
    await database.prisma.zoneAcl.create({ data: { ...entry, get: 'DENY' } });
    await logCatalogChange(database, 'OutboundAcl');
    const response = await assemble({ drUuids: [people.ada], maxRefDepth: 1 });
    await database.prisma.zoneAcl.deleteMany();
    await logCatalogChange(database, 'OutboundAcl');
    expect(messages()).toEqual(['crm person 1', 'erp company 1', 'shop person 1']);
    expect(outcomes(response)).toContain('1 - company DENIED');
  });

  it('are refused with limits out of range', async () => {
    const { errors } = await refusal({ domain: 'person', maxRefSize: 0, maxRefDepth: 101 });
    expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/maxRefSize OUT_OF_RANGE',
      '/maxRefDepth OUT_OF_RANGE',
    ]);
  });

  it('also start at records of a data store', async () => {
    const response = await assemble({ drUuids: [people.utopia], maxRefDepth: 2 });
    expect(dataOf(response)).toEqual([
      {
        code: 'UT',
        head: {
          id: 2,
          team: 9,
          name: 'Bob',
          employer: { id: 1, name: 'Acme', country: refTo(people.utopia) },
          mates: [],
        },
      },
    ]);
    expect(outcomes(response)).toEqual(['1 crm person ANSWERED', '2 dun company ANSWERED', '2 erp company ANSWERED']);
  });
});
