import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as newUuid } from 'uuid';
import { listIn, openCatalog, principalWith, type Answer, type TestCatalog } from './testing/open-catalog.js';

let catalog: TestCatalog;
let z: string;
let version: string;
let crm: string;
let shop: string;
beforeAll(async () => {
  catalog = await openCatalog();
  const { data } = await catalog.run(`mutation {
    zone: createZone(input: {name: "North"}) { uuid }
    domain: createDomain(input: {name: "customer", domainType: FEDERATED}) { uuid }
  }`);
  z = String(data['zone']?.['uuid']);
  version = await newVersion(String(data['domain']?.['uuid']));
  [crm, shop] = [await newAdaptor('crm', z), await newAdaptor('shop', catalog.rootZoneUuid)];
});
afterAll(() => catalog?.close());
beforeEach(() => catalog.database.prisma.adaptorPreference.deleteMany());

const newVersion = async (domainUuid: string): Promise<string> => {
  const { data } = await catalog.run(
    `mutation($d: Uuid!, $i: DomainVersionInput!) {
      it: createDomainVersion(domainUuid: $d, input: $i) { domainVersion { uuid } }
    }`,
    { d: domainUuid, i: { modelSchema: '{"properties": {"id": {"type": "string"}}}', drKeyProperties: ['id'] } },
  );
  return String((data['it']?.['domainVersion'] as { uuid: string } | undefined)?.uuid);
};
const newAdaptor = async (name: string, zoneUuid: string): Promise<string> => {
  const { data } = await catalog.run(
    'mutation($z: Uuid!, $i: AdaptorInput!) { it: createAdaptor(zoneUuid: $z, input: $i) { clientId } }',
    { z: zoneUuid, i: { name } },
  );
  return String(data['it']?.['clientId']);
};

const fields = 'uuid zoneUuid domainVersionUuid adaptorUuid preferenceType changeVersion dateCreated';
type Row = Readonly<Record<'uuid' | 'adaptorUuid' | 'preferenceType', string>> & { readonly changeVersion: number };

const list = async (args = '', zoneUuid = z): Promise<readonly Row[]> =>
  listIn<Row>(
    await catalog.run(`query($z: Uuid!) { adaptorPreferences(zoneUuid: $z${args}) { data { ${fields} } } }`, {
      z: zoneUuid,
    }),
    'adaptorPreferences',
  );
const tiers = async (zoneUuid = z) =>
  Object.fromEntries((await list('', zoneUuid)).map((row) => [row.adaptorUuid, row.preferenceType]));
const create = (input: object, zoneUuid = z): Promise<Answer> =>
  catalog.run(
    `mutation($z: Uuid!, $i: AdaptorPreferenceInput!) { it: createAdaptorPreference(zoneUuid: $z, input: $i) { ${fields} } }`,
    { z: zoneUuid, i: { domainVersionUuid: version, ...input } },
  );
const replaceAll = (inputs: readonly object[]): Promise<Answer> =>
  catalog.run(
    `mutation($z: Uuid!, $i: [AdaptorPreferenceInput!]!) {
      it: replaceAdaptorPreferences(zoneUuid: $z, inputs: $i) { data { ${fields} } page { totalElements } }
    }`,
    { z, i: inputs.map((input) => ({ domainVersionUuid: version, ...input })) },
  );
const set = (adaptorUuid: string, input: object): Promise<Answer> =>
  catalog.run(
    `mutation($z: Uuid!, $a: Uuid!, $i: AdaptorTierInput!) {
      it: setAdaptorPreference(zoneUuid: $z, adaptorUuid: $a, input: $i) { ${fields} }
    }`,
    { z, a: adaptorUuid, i: { domainVersionUuid: version, ...input } },
  );
const remove = (uuid: string): Promise<Answer> =>
  catalog.run('mutation($z: Uuid!, $u: Uuid!) { deleteAdaptorPreference(zoneUuid: $z, adaptorOrPreferenceUuid: $u) }', {
    z,
    u: uuid,
  });
const logged = async (): Promise<readonly string[]> => {
  const entries = await catalog.database.prisma.changeLogEntry.findMany({
    where: { resourceType: 'Preference' },
    orderBy: { position: 'asc' },
  });
  return entries.map(({ action, resource }) => `${action} ${resource}`);
};

describe('preferences', () => {
  it('are created for adaptors of any zone, and logged', async () => {
    const { data } = await create({ adaptorUuid: shop, preferenceType: 'GOLD' });
    const preference = data['it'];
    expect(preference).toMatchObject({
      zoneUuid: z,
      domainVersionUuid: version,
      adaptorUuid: shop,
      preferenceType: 'GOLD',
      changeVersion: 1,
    });
    expect((await logged()).at(-1)).toBe(
      `POST /zones/${z}/settings/domain-version-adaptor-preferences/${String(preference?.['uuid'])}`,
    );
    expect((await create({ adaptorUuid: shop, preferenceType: 'SILVER' })).code).toBe('CONFLICT');
    expect(await tiers()).toEqual({ [shop]: 'GOLD' });
    expect(await tiers(catalog.rootZoneUuid)).toEqual({});
  });

  it('refuses resources that do not exist, with a pointer to each', async () => {
    const unknown = await create({ domainVersionUuid: newUuid(), adaptorUuid: newUuid(), preferenceType: 'GOLD' });
    expect([unknown.code, unknown.causes]).toEqual([
      'UNKNOWN_REFERENCE',
      ['/domainVersionUuid UNKNOWN_REFERENCE', '/adaptorUuid UNKNOWN_REFERENCE'],
    ]);
    expect((await create({ adaptorUuid: crm, preferenceType: 'GOLD' }, newUuid())).code).toBe('NOT_FOUND');
    const among = await replaceAll([
      { adaptorUuid: crm, preferenceType: 'GOLD' },
      { adaptorUuid: newUuid(), preferenceType: 'GOLD' },
      { adaptorUuid: crm, preferenceType: 'SILVER' },
    ]);
    expect([among.code, among.causes]).toEqual([
      'VALIDATION_FAILED',
      ['/2 DUPLICATE', '/1/adaptorUuid UNKNOWN_REFERENCE'],
    ]);
    expect((await create({ adaptorUuid: crm, preferenceType: 'BRONZE' })).causes).toEqual([
      '/preferenceType NOT_ALLOWED',
    ]);
    expect((await replaceAll([{ adaptorUuid: crm, preferenceType: 'BRONZE' }])).causes).toEqual([
      '/0/preferenceType NOT_ALLOWED',
    ]);
    expect((await set(newUuid(), { preferenceType: 'GOLD' })).code).toBe('NOT_FOUND');
    expect((await set(crm, { domainVersionUuid: newUuid(), preferenceType: 'GOLD' })).causes).toEqual([
      '/domainVersionUuid UNKNOWN_REFERENCE',
    ]);
    expect(await tiers()).toEqual({});
  });

  it('are replaced as a whole, and unchanged ones keep their identity', async () => {
    await create({ adaptorUuid: crm, preferenceType: 'GOLD' });
    await create({ adaptorUuid: shop, preferenceType: 'SILVER' });
    const [before] = (await list()).filter(({ adaptorUuid }) => adaptorUuid === crm);
    const third = await newAdaptor('billing', z);
    const count = (await logged()).length;
    const { data } = await replaceAll([
      { adaptorUuid: crm, preferenceType: 'GOLD' },
      { adaptorUuid: third, preferenceType: 'SILVER' },
    ]);
    expect(data['it']).toMatchObject({ page: { totalElements: 2 } });
    expect(await tiers()).toEqual({ [crm]: 'GOLD', [third]: 'SILVER' });
    expect((await list()).find(({ adaptorUuid }) => adaptorUuid === crm)).toEqual(before);
    expect((await logged()).slice(count).map((entry) => entry.split(' ')[0])).toEqual(['DELETE', 'PUT']);
    await replaceAll([{ adaptorUuid: crm, preferenceType: 'SILVER' }]);
    expect(await list()).toMatchObject([{ uuid: before?.uuid, preferenceType: 'SILVER', changeVersion: 2 }]);
    await replaceAll([]);
    expect(await tiers()).toEqual({});
  });

  it('are set for one adaptor; BRONZE removes, and repeating changes nothing', async () => {
    expect((await set(crm, { preferenceType: 'GOLD' })).data['it']).toMatchObject({ changeVersion: 1 });
    expect((await set(crm, { preferenceType: 'GOLD' })).data['it']).toMatchObject({ changeVersion: 1 });
    expect((await set(crm, { preferenceType: 'SILVER' })).data['it']).toMatchObject({ changeVersion: 2 });
    for (let times = 0; times < 2; times += 1) {
      expect((await set(crm, { preferenceType: 'BRONZE' })).data['it']).toMatchObject({
        uuid: null,
        adaptorUuid: crm,
        domainVersionUuid: version,
        preferenceType: 'BRONZE',
        dateCreated: null,
      });
    }
    expect(await tiers()).toEqual({});
  });

  it('are found by adaptor, version, type, and either uuid, and removed by either uuid', async () => {
    await replaceAll([
      { adaptorUuid: crm, preferenceType: 'GOLD' },
      { adaptorUuid: shop, preferenceType: 'SILVER' },
    ]);
    const [gold] = await list(', preferenceType: GOLD');
    const found = async (args: string) => (await list(args)).map(({ adaptorUuid }) => adaptorUuid);
    expect(await found(`, adaptorUuid: "${shop}"`)).toEqual([shop]);
    expect(await found(`, domainVersionUuid: "${newUuid()}"`)).toEqual([]);
    expect(await found(`, adaptorOrPreferenceUuid: "${crm}"`)).toEqual([crm]);
    expect(await found(`, adaptorOrPreferenceUuid: "${gold?.uuid ?? ''}"`)).toEqual([crm]);
    expect(await found(', sort: "-preferenceType"')).toEqual([shop, crm]);
    const nobody = `query($z: Uuid!, $u: Uuid) { adaptorPreferences(zoneUuid: $z, adaptorOrPreferenceUuid: $u) { data { uuid } } }`;
    expect((await catalog.run(nobody, { z, u: newUuid() })).code).toBe('NOT_FOUND');
    expect((await remove(gold?.uuid ?? '')).data).toEqual({ deleteAdaptorPreference: true });
    expect((await remove(gold?.uuid ?? '')).code).toBe('NOT_FOUND');
    expect((await remove(shop)).data).toEqual({ deleteAdaptorPreference: true });
    expect(await tiers()).toEqual({});
  });

  it('need a grant, for which either spelling of the path is enough to read them', async () => {
    const settings = `/zones/${z}/settings/domain-version-adaptor-preferences`;
    const read = (resource: string) =>
      catalog.run(
        'query($z: Uuid!) { adaptorPreferences(zoneUuid: $z) { data { uuid } } }',
        { z },
        principalWith([{ action: 'GET', resource }]),
      );
    expect((await read('/zones')).code).toBe('FORBIDDEN');
    expect((await read(settings)).code).toBeUndefined();
    expect((await read(`/zones/${z}/adaptors/*`)).code).toBeUndefined();
    const { code } = await catalog.run(
      'mutation($z: Uuid!) { replaceAdaptorPreferences(zoneUuid: $z, inputs: []) { data { uuid } } }',
      { z },
      principalWith([{ action: 'GET', resource: settings }]),
    );
    expect(code).toBe('FORBIDDEN');
  });

  it('only one of two concurrent requests for the same pair creates one', async () => {
    const answers = await Promise.all(
      ['GOLD', 'SILVER'].map((preferenceType) => create({ adaptorUuid: crm, preferenceType })),
    );
    expect(answers.map(({ code }) => code ?? 'created').sort()).toEqual(['CONFLICT', 'created']);
  });

  it('are removed and logged with their adaptor and with their zone', async () => {
    const gone = await newAdaptor('gone', z);
    await create({ adaptorUuid: gone, preferenceType: 'GOLD' });
    await create({ adaptorUuid: gone, preferenceType: 'GOLD' }, catalog.rootZoneUuid);
    await catalog.run('mutation($z: Uuid!, $a: Uuid!) { deleteAdaptor(zoneUuid: $z, adaptorUuid: $a, force: true) }', {
      z,
      a: gone,
    });
    expect([await tiers(), await tiers(catalog.rootZoneUuid)]).toEqual([{}, {}]);
    expect((await logged()).slice(-2).every((entry) => entry.startsWith('DELETE '))).toBe(true);

    const { data } = await catalog.run('mutation { createZone(input: {name: "Brief"}) { uuid } }');
    const brief = String(data['createZone']?.['uuid']);
    await create({ adaptorUuid: shop, preferenceType: 'GOLD' }, brief);
    const removed = await catalog.run('mutation($z: Uuid!) { deleteZone(zoneUuid: $z) }', { z: brief });
    expect(removed.data).toEqual({ deleteZone: true });
    expect((await logged()).at(-1)).toContain(`DELETE /zones/${brief}/settings/`);
  });
});
