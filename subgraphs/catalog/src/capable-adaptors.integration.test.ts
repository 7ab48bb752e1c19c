import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as newUuid } from 'uuid';
import { listIn, openCatalog, principalWith, type Answer, type TestCatalog } from './testing/open-catalog.js';

let catalog: TestCatalog;
let north: string;
let south: string;
let version: string;
const adaptors: Record<string, string> = {};

const uuidOf = (answer: Answer, member = 'uuid'): string => String(answer.data['it']?.[member]);
const newAdaptor = async (name: string, zoneUuid: string, input: object): Promise<void> => {
  const mutation = 'mutation($z: Uuid!, $i: AdaptorInput!) { it: createAdaptor(zoneUuid: $z, input: $i) { clientId } }';
  adaptors[name] = uuidOf(await catalog.run(mutation, { z: zoneUuid, i: { name, ...input } }), 'clientId');
};
const capable = (...actions: string[]) =>
  actions.map((action) => ({ domainName: 'Customer', versionNumber: 1, action }));

beforeAll(async () => {
  catalog = await openCatalog();
  const newZone = async (name: string) =>
    uuidOf(await catalog.run('mutation($n: String) { it: createZone(input: {name: $n}) { uuid } }', { n: name }));
  [north, south] = [await newZone('North'), await newZone('South')];
  const domain = uuidOf(
    await catalog.run('mutation { it: createDomain(input: {name: "customer", domainType: FEDERATED}) { uuid } }'),
  );
  const created = await catalog.run(
    `mutation($d: Uuid!, $i: DomainVersionInput!) {
      it: createDomainVersion(domainUuid: $d, input: $i) { domainVersion { uuid } }
    }`,
    {
      d: domain,
      i: {
        modelSchema: '{"properties": {"id": {"type": "string"}, "name": {"type": "string"}}}',
        drKeyProperties: ['id'],
      },
    },
  );
  version = String((created.data['it']?.['domainVersion'] as { uuid: string } | undefined)?.uuid);
  const type = uuidOf(
    await catalog.run('mutation($i: AdaptorTypeInput!) { it: createAdaptorType(input: $i) { uuid } }', {
      i: { name: 'Reader', defaultCapabilities: capable('GET') },
    }),
  );
  await newAdaptor('crm', north, { capabilities: capable('POST', 'GET') });
  await newAdaptor('shop', south, { adaptorTypeUuid: type, metadata: { password: 'secret' } });
  await newAdaptor('other', south, { capabilities: [{ ...capable('GET')[0], versionNumber: 2 }] });
  await newAdaptor('inactive', south, { capabilities: capable('GET'), active: false });
});
afterAll(() => catalog?.close());
beforeEach(() => catalog.database.prisma.zoneAcl.deleteMany());

const ask = (args: object = {}, principal = catalog.steward): Promise<Answer> =>
  catalog.run(
    `query($z: Uuid!, $v: Uuid!, $action: CapabilityAction, $sort: String, $page: Int, $size: Int) {
      capableAdaptors(zoneUuid: $z, domainVersionUuid: $v, action: $action, sort: $sort, page: $page, size: $size) {
        data { adaptor { uuid name zoneUuid zoneName state active } action permitted }
        page { totalElements }
      }
    }`,
    { z: north, v: version, ...args },
    principal,
  );
const rows = async (args: object = {}): Promise<readonly string[]> => {
  const found = listIn<{ adaptor: { name: string }; action: string; permitted: boolean }>(
    await ask(args),
    'capableAdaptors',
  );
  return found.map(({ adaptor, action, permitted }) => `${adaptor.name} ${action} ${permitted ? 'yes' : 'no'}`);
};
const deny = (chain: 'INBOUND' | 'OUTBOUND', zoneUuid: string, entry: object) =>
  catalog.database.prisma.zoneAcl.create({ data: { uuid: newUuid(), zoneUuid, chain, position: 0, ...entry } });

describe('capable adaptors', () => {
  it("are the active ones of all zones by effective capability, ignoring the case of the domain's name", async () => {
    expect(await rows()).toEqual(['crm GET yes', 'crm POST yes', 'shop GET yes']);
    expect(await rows({ action: 'GET' })).toEqual(['crm GET yes', 'shop GET yes']);
    expect(await rows({ action: 'DELETE' })).toEqual([]);
    const [first] = listIn<{ adaptor: object }>(await ask({ action: 'POST' }), 'capableAdaptors');
    expect(first?.adaptor).toEqual({
      uuid: adaptors['crm'],
      name: 'crm',
      zoneUuid: north,
      zoneName: 'North',
      state: 'DOWN',
      active: true,
    });
  });

  it('are paged and sorted', async () => {
    expect(await rows({ sort: '-adaptor.name,action', size: 2 })).toEqual(['shop GET yes', 'crm GET yes']);
    expect(await rows({ size: 2, page: 1 })).toEqual(['shop GET yes']);
    expect((await ask({ size: 1 })).data['capableAdaptors']?.['page']).toEqual({ totalElements: 3 });
    expect((await ask({ sort: 'colour' })).code).toBe('INVALID_PARAMETER');
  });

  it("GET goes from the adaptor's zone to the requesting zone", async () => {
    await deny('OUTBOUND', south, { destinationZoneUuid: north, sourceAdaptorUuid: adaptors['shop'], get: 'DENY' });
    expect(await rows({ action: 'GET' })).toEqual(['crm GET yes', 'shop GET no']);
    expect(await rows({ action: 'GET', z: south })).toEqual(['crm GET yes', 'shop GET yes']);
  });

  it('data goes from the requesting zone to the adaptor', async () => {
    await deny('INBOUND', north, { destinationAdaptorUuid: adaptors['crm'], post: 'DENY' });
    expect(await rows({ action: 'POST', z: south })).toEqual(['crm POST no']);
    // other rules apply to traffic within a zone
    expect(await rows({ action: 'POST' })).toEqual(['crm POST yes']);
  });

  it('a permission for some properties is enough', async () => {
    await deny('OUTBOUND', south, { get: 'DENY', properties: ['name'] });
    expect(await rows({ action: 'GET' })).toEqual(['crm GET yes', 'shop GET yes']);
    await deny('OUTBOUND', south, { get: 'DENY', properties: ['id'], position: 1 });
    expect(await rows({ action: 'GET' })).toEqual(['crm GET yes', 'shop GET no']);
  });

  it('are not found for an unknown zone or version, and refused without a grant', async () => {
    expect((await ask({ z: newUuid() })).code).toBe('NOT_FOUND');
    expect((await ask({ v: newUuid() })).code).toBe('NOT_FOUND');
    const stranger = principalWith([{ action: 'GET', resource: `/zones/${south}/capable-adaptors/*` }]);
    expect((await ask({}, stranger)).code).toBe('FORBIDDEN');
    expect((await ask({ z: south }, stranger)).code).toBeUndefined();
  });
});

describe('capabilities that name a domain in other case', () => {
  it('are found by the filter of the list, and sent to the adaptor with the key of the version', async () => {
    const answer = await catalog.run(
      'query($v: Uuid) { adaptors(domainVersionUuid: $v, action: POST) { data { name } } }',
      { v: version },
    );
    expect(listIn(answer, 'adaptors')).toEqual([{ name: 'crm' }]);
    catalog.takeSent();
    await catalog.report(adaptors['crm'] ?? '', 'STARTING');
    expect(catalog.takeSent()).toMatchObject([
      { operation: 'START', domainVersions: [{ domain: 'customer', drKeyProperties: ['id'] }] },
    ]);
  });
});
