import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as newUuid } from 'uuid';
import { listIn, openCatalog, type Answer, type TestCatalog } from './testing/open-catalog.js';

let catalog: TestCatalog;
let z: string;
beforeAll(async () => {
  catalog = await openCatalog();
  const { data } = await catalog.run('mutation { createZone(input: {name: "North"}) { uuid } }');
  z = String(data['createZone']?.['uuid']);
});
afterAll(() => catalog?.close());
beforeEach(() => void catalog.takeSent());

const fields = `uuid name description zoneUuid state stateMessage discoveryMode active metadata changeVersion
  adaptorType { uuid name } zone { name } capabilities { domainName versionNumber action direction }`;
const create = (input: object, zoneUuid = z): Promise<Answer> =>
  catalog.run(
    `mutation($z: Uuid!, $i: AdaptorInput!) {
      created: createAdaptor(zoneUuid: $z, input: $i) { clientId clientSecret adaptor { ${fields} } }
    }`,
    { z: zoneUuid, i: input },
  );
const newAdaptor = async (input: object = {}): Promise<string> =>
  String((await create({ name: 'crm', ...input })).data['created']?.['clientId']);
const write = (field: 'replaceAdaptor' | 'patchAdaptor', a: string, input: object, zoneUuid = z): Promise<Answer> =>
  catalog.run(
    `mutation($z: Uuid!, $a: Uuid!, $i: AdaptorInput!) {
      adaptor: ${field}(zoneUuid: $z, adaptorUuid: $a, input: $i) { ${fields} }
    }`,
    { z: zoneUuid, a, i: input },
  );
const read = (a: string, zoneUuid = z): Promise<Answer> =>
  catalog.run(`query($z: Uuid!, $a: Uuid!) { adaptor(zoneUuid: $z, adaptorUuid: $a) { ${fields} } }`, {
    z: zoneUuid,
    a,
  });
const stateOf = async (a: string): Promise<unknown> => (await read(a)).data['adaptor']?.['state'];
const command = (a: string, state: string): Promise<Answer> => write('patchAdaptor', a, { state });
const sentOperations = (): string[] => catalog.takeSent().map((request) => request.operation);
const capability = { domainName: 'customer', versionNumber: 1, action: 'POST', direction: 'IN' };

describe('adaptors', () => {
  it('are created with the state DOWN, the type `default`, and credentials', async () => {
    const { data } = await create({
      name: 'crm',
      description: 'd',
      capabilities: [capability],
      metadata: '{"n": 9223372036854775807}',
    });
    const { adaptor, clientId, clientSecret } = data['created'] as {
      adaptor: object;
      clientId: string;
      clientSecret: string;
    };
    expect(adaptor).toMatchObject({
      uuid: clientId,
      name: 'crm',
      description: 'd',
      zoneUuid: z,
      state: 'DOWN',
      active: true,
      discoveryMode: false,
      changeVersion: 1,
      adaptorType: { name: 'default' },
      zone: { name: 'North' },
      capabilities: [capability],
      metadata: '{"n":9223372036854775807}',
    });
    const registration = await catalog.run(
      `query($z: Uuid!, $a: Uuid!) {
        adaptorRegistration(zoneUuid: $z, adaptorUuid: $a) { uuid zoneUuid clientId clientSecret messageBusUrl messageBusUrls }
      }`,
      { z, a: clientId },
    );
    expect(registration.data['adaptorRegistration']).toEqual({
      uuid: clientId,
      zoneUuid: z,
      clientId,
      clientSecret,
      messageBusUrl: 'tcp://localhost:1883',
      messageBusUrls: ['tcp://localhost:1883', 'ws://localhost:8083'],
    });
    const stored = await catalog.database.prisma.adaptorRegistration.findFirst({
      where: { adaptorUuid: clientId },
    });
    expect(stored?.sealedSecret).not.toContain(clientSecret);
  });

  it('refuses faulty input with all its causes', async () => {
    const { code, causes } = await create({ capabilities: [{}], metadata: [1], adaptorTypeUuid: newUuid() });
    expect([code, causes]).toEqual([
      'VALIDATION_FAILED',
      [
        '/name REQUIRED',
        '/capabilities/0/domainName WRONG_FORMAT',
        '/capabilities/0/versionNumber OUT_OF_RANGE',
        '/capabilities/0/action UNKNOWN_VALUE',
        '/metadata INVALID_TYPE',
        '/adaptorTypeUuid UNKNOWN_REFERENCE',
      ],
    ]);
    expect((await create({ name: 'crm', adaptorTypeUuid: newUuid() })).code).toBe('UNKNOWN_REFERENCE');
    expect((await create({ name: 'crm' }, newUuid())).code).toBe('NOT_FOUND');
  });

  it('are logged in the form of GET, with discovery and verified', async () => {
    const a = await newAdaptor();
    const { prisma } = catalog.database;
    const { uuid: domainVersionUuid } = await prisma.domainVersion.create({
      data: {
        uuid: newUuid(),
        versionNumber: 1,
        modelSchema: '{}',
        domain: {
          create: { uuid: newUuid(), name: 'Logged', nameKey: 'logged', domainType: 'FEDERATED', zoneUuid: z },
        },
      },
    });
    const [completedAt, dateFinished] = [new Date(1_700_000_000_000), new Date(1_700_000_100_000)];
    await prisma.adaptorDiscovery.create({ data: { adaptorUuid: a, domainVersionUuid, records: 7n, completedAt } });
    await prisma.reconciliation.create({
      data: {
        uuid: newUuid(),
        zoneUuid: z,
        adaptorUuid: a,
        domainVersionUuid,
        status: 'DONE',
        preview: true,
        valuePolicy: 'KEEP',
        missingHere: 'KEEP',
        missingThere: 'KEEP',
        equal: 6n,
        differing: 1n,
        dateFinished,
      },
    });
    const found = {
      discovery: [{ domainVersionUuid, complete: true, records: 7, dateCompleted: completedAt.getTime() }],
      verified: [
        { domainVersionUuid, date: dateFinished.getTime(), equal: 6, differing: 1, missingHere: 0, missingThere: 0 },
      ],
    };
    const logged = async (action: string): Promise<unknown> => {
      const entry = await prisma.changeLogEntry.findFirst({ where: { resourceUuid: a, action } });
      return JSON.parse(entry?.data ?? '{}');
    };
    expect(await logged('POST')).toMatchObject({ discovery: [], verified: [] });
    await write('patchAdaptor', a, { description: 'd', changeVersion: 1 });
    expect(await logged('PATCH')).toMatchObject(found);
    await catalog.run(
      'mutation($z: Uuid!, $a: Uuid!) { deleteAdaptor(zoneUuid: $z, adaptorUuid: $a, changeVersion: 2, force: true) }',
      { z, a },
    );
    expect(await logged('DELETE')).toMatchObject(found);
  });

  it('have a deletion limit: left out it is unchanged, and null switches it off', async () => {
    const limitOf = async (a: string): Promise<unknown> =>
      (
        (
          await catalog.run(
            'query($z: Uuid!, $a: Uuid!) { adaptor(zoneUuid: $z, adaptorUuid: $a) { deletionLimit { percent minimum seconds } } }',
            { z, a },
          )
        ).data['adaptor'] as { readonly deletionLimit: unknown }
      ).deletionLimit;
    const a = await newAdaptor();
    const initial = { percent: 10, minimum: 100, seconds: 60 };
    expect(await limitOf(a)).toEqual(initial);
    await write('patchAdaptor', a, { deletionLimit: { percent: 2.5 }, changeVersion: 1 });
    expect(await limitOf(a)).toEqual({ ...initial, percent: 2.5 });
    await write('replaceAdaptor', a, { name: 'erp', changeVersion: 2 });
    expect(await limitOf(a)).toEqual({ ...initial, percent: 2.5 });
    await write('patchAdaptor', a, { deletionLimit: null, changeVersion: 3 });
    expect(await limitOf(a)).toBeNull();
    await write('replaceAdaptor', a, { name: 'erp', changeVersion: 4 });
    expect(await limitOf(a)).toBeNull();
    await write('replaceAdaptor', a, { name: 'erp', deletionLimit: { minimum: 0 }, changeVersion: 5 });
    expect(await limitOf(a)).toEqual({ ...initial, minimum: 0 });
    const off = await newAdaptor({ deletionLimit: null });
    expect(await limitOf(off)).toBeNull();
    const { code, causes } = await create({
      name: 'crm',
      deletionLimit: { percent: 100.5, minimum: -1, seconds: 86_401 },
    });
    expect([code, causes]).toEqual([
      'VALIDATION_FAILED',
      [
        '/deletionLimit/percent OUT_OF_RANGE',
        '/deletionLimit/minimum OUT_OF_RANGE',
        '/deletionLimit/seconds OUT_OF_RANGE',
      ],
    ]);
  });

  it('are not found below another zone', async () => {
    const a = await newAdaptor();
    for (const answer of [
      await read(a, catalog.rootZoneUuid),
      await write('patchAdaptor', a, { state: 'PAUSE' }, catalog.rootZoneUuid),
      await catalog.run('mutation($z: Uuid!, $a: Uuid!) { deleteAdaptor(zoneUuid: $z, adaptorUuid: $a) }', {
        z: catalog.rootZoneUuid,
        a,
      }),
      await catalog.run('query($z: Uuid!, $a: Uuid!) { adaptorRegistration(zoneUuid: $z, adaptorUuid: $a) { uuid } }', {
        z: catalog.rootZoneUuid,
        a,
      }),
    ]) {
      expect(answer.code).toBe('NOT_FOUND');
    }
  });

  it("a replacement restores the type's defaults for absent members", async () => {
    const a = await newAdaptor({
      description: 'd',
      capabilities: [capability],
      metadata: { a: 1 },
      discoveryMode: true,
    });
    const { data } = await write('replaceAdaptor', a, { name: 'erp', changeVersion: 1 });
    expect(data['adaptor']).toMatchObject({
      name: 'erp',
      description: null,
      capabilities: [],
      metadata: null,
      discoveryMode: false,
      active: true,
      state: 'DOWN',
      changeVersion: 2,
    });
  });

  it("a patch changes the members that it names; null restores the type's", async () => {
    const a = await newAdaptor({ capabilities: [capability], metadata: { a: 1 } });
    const first = await write('patchAdaptor', a, { metadata: '{"a": 2}', changeVersion: 1 });
    expect(first.data['adaptor']).toMatchObject({ metadata: '{"a":2}', capabilities: [capability], changeVersion: 2 });
    const second = await write('patchAdaptor', a, {
      metadata: null,
      capabilities: null,
      status: false,
      changeVersion: 2,
    });
    expect(second.data['adaptor']).toMatchObject({ metadata: null, capabilities: [], active: false, changeVersion: 3 });
  });

  it('a change of the configuration requires the current changeVersion, a change of the state alone does not', async () => {
    const a = await newAdaptor();
    expect((await write('patchAdaptor', a, { name: 'erp' })).code).toBe('CHANGE_VERSION_REQUIRED');
    expect((await write('replaceAdaptor', a, { name: 'erp' })).code).toBe('CHANGE_VERSION_REQUIRED');
    expect((await write('patchAdaptor', a, { name: 'erp', changeVersion: 2 })).extensions).toMatchObject({
      code: 'STALE_CHANGE_VERSION',
      currentChangeVersion: 1,
    });
    expect((await command(a, 'PAUSE')).data['adaptor']).toMatchObject({ state: 'DOWN_PAUSED', changeVersion: 1 });
    expect((await write('patchAdaptor', a, { state: 'PLAY', changeVersion: 9 })).code).toBe('STALE_CHANGE_VERSION');
  });

  it('only one of two patches with the same changeVersion succeeds; the other one is stale', async () => {
    const a = await newAdaptor();
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((name) => write('patchAdaptor', a, { name, changeVersion: 1 })),
    );
    expect(answers.map(({ code }) => code ?? 'won').sort()).toEqual([
      'STALE_CHANGE_VERSION',
      'STALE_CHANGE_VERSION',
      'won',
    ]);
    expect((await read(a)).data['adaptor']?.['changeVersion']).toBe(2);
  });

  it('a soft delete keeps everything, and a hard delete nothing', async () => {
    const a = await newAdaptor();
    const remove = (force: boolean) =>
      catalog.run(
        'mutation($z: Uuid!, $a: Uuid!, $f: Boolean) { deleteAdaptor(zoneUuid: $z, adaptorUuid: $a, force: $f) }',
        { z, a, f: force },
      );
    const listed = async (args: string) => {
      const answer = await catalog.run(
        `query($z: Uuid) { adaptors(zoneUuid: $z, size: 1000, ${args}) { data { uuid } } }`,
        { z },
      );
      return listIn<{ uuid: string }>(answer, 'adaptors').some(({ uuid }) => uuid === a);
    };
    expect((await remove(false)).data).toEqual({ deleteAdaptor: true });
    expect((await remove(false)).data).toEqual({ deleteAdaptor: true });
    expect((await read(a)).data['adaptor']).toMatchObject({ active: false, changeVersion: 2 });
    expect([await listed('page: 0'), await listed('includeInactive: true'), await listed('active: false')]).toEqual([
      false,
      true,
      true,
    ]);
    const back = await write('patchAdaptor', a, { active: true, changeVersion: 2 });
    expect(back.data['adaptor']).toMatchObject({ active: true, changeVersion: 3 });
    expect((await remove(true)).data).toEqual({ deleteAdaptor: true });
    expect((await read(a)).code).toBe('NOT_FOUND');
    expect((await remove(true)).code).toBe('NOT_FOUND');
  });

  it('a re-issued secret replaces the old one, which stays valid for the grace period', async () => {
    const { data } = await create({ name: 'crm' });
    const { clientId: a, clientSecret } = data['created'] as { clientId: string; clientSecret: string };
    const reissued = await catalog.run(
      'mutation($z: Uuid!, $a: Uuid!) { reissueAdaptorRegistration(zoneUuid: $z, adaptorUuid: $a) { clientId clientSecret } }',
      { z, a },
    );
    expect(reissued.data['reissueAdaptorRegistration']?.['clientId']).toBe(a);
    expect(reissued.data['reissueAdaptorRegistration']?.['clientSecret']).not.toBe(clientSecret);
    const stored = await catalog.database.prisma.adaptorRegistration.findUniqueOrThrow({ where: { adaptorUuid: a } });
    expect(stored.previousSealedSecret).not.toBeNull();
    expect((stored.previousUntil?.getTime() ?? 0) - Date.now()).toBeGreaterThan(30_000);
    const logged = await catalog.database.prisma.changeLogEntry.findFirstOrThrow({
      where: { resourceUuid: a, resource: { endsWith: '/registration' } },
    });
    expect(JSON.parse(logged.data ?? '')).toMatchObject({ oldSecretUntil: stored.previousUntil?.getTime() });
  });

  it('secrets that are re-issued at the same time are issued one after the other, and none is lost', async () => {
    const { data } = await create({ name: 'rotated' });
    const { clientId: a } = data['created'] as { clientId: string };
    const stored = () => catalog.database.prisma.adaptorRegistration.findUniqueOrThrow({ where: { adaptorUuid: a } });
    const reissue = () =>
      catalog.run(
        'mutation($z: Uuid!, $a: Uuid!) { reissueAdaptorRegistration(zoneUuid: $z, adaptorUuid: $a) { clientId } }',
        {
          z,
          a,
        },
      );
    for (let round = 0; round < 5; round += 1) {
      const { sealedSecret: before } = await stored();
      await Promise.all([reissue(), reissue(), reissue(), reissue()]);
      const { previousSealedSecret } = await stored();
      // each one replaced the previous one
      expect(previousSealedSecret).not.toBe(before);
    }
  });

  it('are filtered by state, type and effective capability, which the type may supply', async () => {
    const type = await catalog.run('mutation($i: AdaptorTypeInput!) { createAdaptorType(input: $i) { uuid } }', {
      i: { name: 'Mailer', defaultCapabilities: [{ domainName: 'mail', versionNumber: 1, action: 'GET' }] },
    });
    const adaptorTypeUuid = String(type.data['createAdaptorType']?.['uuid']);
    const heir = await newAdaptor({ name: 'heir', adaptorTypeUuid });
    await newAdaptor({ name: 'own', adaptorTypeUuid, capabilities: [] });
    const list = async (args: string): Promise<string[]> => {
      const answer = await catalog.run(`query($t: Uuid) { adaptors(adaptorTypeUuid: $t, ${args}) { data { name } } }`, {
        t: adaptorTypeUuid,
      });
      return listIn<{ name: string }>(answer, 'adaptors').map(({ name }) => name);
    };
    expect(await list('action: GET')).toEqual(['heir']);
    expect(await list('state: DOWN, sort: "-name"')).toEqual(['own', 'heir']);
    expect(await list('sort: "adaptorType.name,-zone.name,name"')).toEqual(['heir', 'own']);
    expect(await list('state: STARTED')).toEqual([]);
    expect(await list('zoneName: "North", name: "own"')).toEqual(['own']);
    expect(await list(`domainVersionUuid: "${newUuid()}"`)).toEqual([]);
    expect((await read(heir)).data['adaptor']).toMatchObject({
      capabilities: [{ domainName: 'mail', versionNumber: 1, action: 'GET', direction: null }],
    });
  });
});

describe('states', () => {
  it('follow the adaptor from connecting to playing, pausing and disconnecting', async () => {
    const a = await newAdaptor({ capabilities: [capability], metadata: { tables: [] } });
    await catalog.report(a, 'STARTING');
    expect(await stateOf(a)).toBe('STARTING');
    const [start] = catalog.takeSent();
    expect(start).toMatchObject({
      operation: 'START',
      state: 'PLAY',
      discoveryMode: false,
      capabilities: [capability],
      metadata: { tables: [] },
      sequenceState: { epoch: null, applied: 0, sendEpoch: null, sent: 0 },
    });
    await catalog.report(a, 'STARTED');
    expect((await command(a, 'PAUSE')).data['adaptor']).toMatchObject({ state: 'PAUSING', changeVersion: 1 });
    expect(sentOperations()).toEqual(['PAUSE']);
    await catalog.answer(a, { requestId: 'r', operation: 'PAUSE', accepted: true });
    expect(await stateOf(a)).toBe('PAUSED');
    await command(a, 'PLAY');
    expect([await stateOf(a), sentOperations()]).toEqual(['STARTING', ['PLAY']]);
    await catalog.report(a, 'STARTED');
    expect(await stateOf(a)).toBe('STARTED');
    await catalog.report(a, 'DOWN');
    expect(await stateOf(a)).toBe('DOWN');
  });

  it('the pause of an adaptor outlives a disconnection, and it is told to start paused', async () => {
    const a = await newAdaptor({ state: 'PAUSE' });
    expect(await stateOf(a)).toBe('DOWN_PAUSED');
    await catalog.report(a, 'STARTING');
    expect(catalog.takeSent()).toMatchObject([{ operation: 'START', state: 'PAUSE' }]);
    await catalog.report(a, 'PAUSED');
    await catalog.report(a, 'DOWN');
    expect(await stateOf(a)).toBe('DOWN_PAUSED');
  });

  it('a lost PAUSE is sent again at the next report', async () => {
    const a = await newAdaptor();
    await catalog.report(a, 'STARTED');
    await command(a, 'PAUSE');
    catalog.takeSent();
    await catalog.report(a, 'STARTED');
    expect([await stateOf(a), sentOperations()]).toEqual(['PAUSING', ['PAUSE']]);
    await catalog.report(a, 'PAUSED');
    expect(await stateOf(a)).toBe('PAUSED');
  });

  it('an error keeps its message until the state changes', async () => {
    const a = await newAdaptor();
    await catalog.report(a, 'ERROR', 'no such table');
    expect((await read(a)).data['adaptor']).toMatchObject({ state: 'ERROR', stateMessage: 'no such table' });
    await catalog.report(a, 'STARTING');
    expect((await read(a)).data['adaptor']).toMatchObject({ state: 'STARTING', stateMessage: null });
  });

  it('REFRESH_STATE requests the state and stores the answer', async () => {
    const a = await newAdaptor();
    await command(a, 'REFRESH_STATE');
    const [request] = catalog.takeSent();
    expect(request?.operation).toBe('REFRESH_STATE');
    await catalog.answer(a, {
      requestId: request?.requestId ?? '',
      operation: 'REFRESH_STATE',
      accepted: true,
      state: 'STARTED',
    });
    expect(await stateOf(a)).toBe('STARTED');
  });

  it('reports that arrive at the same time are handled in order', async () => {
    const a = await newAdaptor();
    const reports = ['STARTING', 'STARTED', 'PAUSED', 'STARTED', 'DOWN', 'STARTING', 'STARTED'] as const;
    await Promise.all(reports.map((report) => catalog.report(a, report)));
    expect(await stateOf(a)).toBe('STARTED');
  });

  it('a repeated report, and one of an unknown or deleted adaptor, changes nothing', async () => {
    const a = await newAdaptor();
    const logged = () =>
      catalog.database.prisma.changeLogEntry.count({ where: { resourceUuid: a, resourceType: 'AdaptorState' } });
    await catalog.report(a, 'DOWN');
    expect(await logged()).toBe(0);
    await catalog.report(a, 'STARTED');
    await catalog.report(a, 'STARTED');
    expect(await logged()).toBe(1);
    await catalog.report(newUuid(), 'STARTING');
    await write('patchAdaptor', a, { active: false, changeVersion: 1 });
    catalog.takeSent();
    await catalog.report(a, 'STARTING');
    expect([await stateOf(a), sentOperations()]).toEqual(['STARTED', []]);
  });

  it('changed configuration is sent to the adaptor, a changed name is not', async () => {
    const a = await newAdaptor();
    await write('patchAdaptor', a, { name: 'renamed', changeVersion: 1 });
    expect(sentOperations()).toEqual([]);
    await write('patchAdaptor', a, { metadata: { b: 1 }, discoveryMode: true, changeVersion: 2 });
    expect(catalog.takeSent()).toMatchObject([{ operation: 'METADATA', metadata: { b: 1 }, discoveryMode: true }]);
  });

  it('with a broker that stores nothing, every adaptor is disconnected at start; otherwise PAUSING is requested again', async () => {
    const [playing, pausing] = [await newAdaptor(), await newAdaptor()];
    await catalog.report(playing, 'STARTED');
    await catalog.report(pausing, 'STARTED');
    await command(pausing, 'PAUSE');
    catalog.takeSent();
    await catalog.restart({});
    expect(sentOperations().filter((operation) => operation === 'PAUSE')).toEqual(['PAUSE']);
    await catalog.restart({ busRemembers: 'nothing' });
    expect([await stateOf(playing), await stateOf(pausing)]).toEqual(['DOWN', 'DOWN_PAUSED']);
  });
});

describe('adaptor types', () => {
  const typeFields =
    'uuid name description version adaptorTypeLabel defaultMetadata zoneUuid changeVersion defaultCapabilities { action }';
  const writeType = (mutation: string, variables: object): Promise<Answer> => catalog.run(mutation, { ...variables });
  const createType = (input: object) =>
    writeType(`mutation($i: AdaptorTypeInput!) { type: createAdaptorType(input: $i) { ${typeFields} } }`, { i: input });
  const patchType = (t: unknown, input: object) =>
    writeType(
      `mutation($t: Uuid!, $i: AdaptorTypeInput!) { type: patchAdaptorType(adaptorTypeUuid: $t, input: $i) { ${typeFields} } }`,
      { t, i: input },
    );
  const removeType = (t: unknown) =>
    catalog.run('mutation($t: Uuid!) { deleteAdaptorType(adaptorTypeUuid: $t) }', { t });

  it('the built-in types exist from the start and keep their names', async () => {
    const answer = await catalog.run('{ adaptorTypes(sort: "-name") { data { uuid name } } }');
    const types = listIn<{ uuid: string; name: string }>(answer, 'adaptorTypes');
    expect(types.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'default',
        'Web Hook Adaptor',
        'Temporal Adaptor',
        'File System Adaptor',
        'Database Adaptor',
      ]),
    );
    const standard = types.find(({ name }) => name === 'default');
    expect((await removeType(standard?.uuid)).code).toBe('CONFLICT');
    expect((await patchType(standard?.uuid, { name: 'other', changeVersion: 1 })).code).toBe('CONFLICT');
  });

  it('are created, read, patched, replaced and deleted', async () => {
    const { data } = await createType({
      name: 'Feeder',
      version: '2',
      adaptorTypeLabel: 'F',
      defaultMetadata: '{"a":1}',
      zoneUuid: z,
    });
    const uuid = data['type']?.['uuid'];
    expect(data['type']).toMatchObject({
      name: 'Feeder',
      version: '2',
      defaultMetadata: '{"a":1}',
      zoneUuid: z,
      changeVersion: 1,
    });
    const patched = await patchType(uuid, { defaultCapabilities: [capability], changeVersion: 1 });
    expect(patched.data['type']).toMatchObject({
      version: '2',
      defaultCapabilities: [{ action: 'POST' }],
      changeVersion: 2,
    });
    const replaced = await writeType(
      `mutation($t: Uuid!, $i: AdaptorTypeInput!) { type: replaceAdaptorType(adaptorTypeUuid: $t, input: $i) { ${typeFields} } }`,
      { t: uuid, i: { name: 'Feed', changeVersion: 2 } },
    );
    expect(replaced.data['type']).toMatchObject({
      name: 'Feed',
      version: null,
      defaultCapabilities: [],
      zoneUuid: null,
    });
    expect((await patchType(uuid, { name: 'x', changeVersion: 2 })).code).toBe('STALE_CHANGE_VERSION');
    expect((await patchType(uuid, { name: 'x' })).code).toBe('CHANGE_VERSION_REQUIRED');
    expect((await createType({ name: 'Feed' })).code).toBe('DUPLICATE_NAME');
    expect((await createType({ name: 'Lost', zoneUuid: newUuid() })).code).toBe('UNKNOWN_REFERENCE');
    expect((await removeType(uuid)).data).toEqual({ deleteAdaptorType: true });
    expect((await removeType(uuid)).code).toBe('NOT_FOUND');
  });

  it('are not deleted while an adaptor uses them, and changed defaults reach connected adaptors that inherit them', async () => {
    const { data } = await createType({ name: 'Held' });
    const uuid = data['type']?.['uuid'];
    const a = await newAdaptor({ adaptorTypeUuid: uuid });
    expect((await removeType(uuid)).extensions).toMatchObject({ code: 'IN_USE', uses: { adaptors: 1 } });
    await catalog.report(a, 'STARTED');
    await patchType(uuid, { defaultMetadata: { c: 3 }, changeVersion: 1 });
    expect(catalog.takeSent()).toMatchObject([{ operation: 'METADATA', metadata: { c: 3 } }]);
  });
});
