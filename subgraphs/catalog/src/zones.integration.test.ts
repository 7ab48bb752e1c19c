import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { graphql } from 'graphql';
import { v7 as newUuid } from 'uuid';
import { openCatalog, principalWith, type Answer, type TestCatalog } from './testing/open-catalog.js';

let catalog: TestCatalog;
beforeAll(async () => {
  catalog = await openCatalog();
});
afterAll(() => catalog?.close());

const fields = 'uuid zoneUuid name description parentZoneUuid geoCoordinates active changeVersion createdByUuid';
const createZone = (input: object, principal = catalog.steward): Promise<Answer> =>
  catalog.run(`mutation($i: ZoneInput!) { zone: createZone(input: $i) { ${fields} } }`, { i: input }, principal);
const write = (field: 'replaceZone' | 'patchZone', zoneUuid: string, input: object): Promise<Answer> =>
  catalog.run(`mutation($z: Uuid!, $i: ZoneInput!) { zone: ${field}(zoneUuid: $z, input: $i) { ${fields} } }`, {
    z: zoneUuid,
    i: input,
  });
const newZone = async (name: string, parentZoneUuid?: string): Promise<string> =>
  String((await createZone({ name, parentZoneUuid })).data['zone']?.['uuid']);

describe('zones', () => {
  it('make this process forget cached permissions when they are created or deleted', async () => {
    let forgotten = 0;
    const { schema } = await catalog.restart({ forgetHolders: () => void (forgotten += 1) });
    const contextValue = { principal: catalog.steward, requestId: 'r' };
    const ask = (source: string) => graphql({ schema, source, contextValue });
    const { data } = await ask('mutation { zone: createZone(input: { name: "Short" }) { uuid } }');
    expect(forgotten).toBe(1);
    const zone = data?.['zone'] as { readonly uuid: string } | undefined;
    expect((await ask(`mutation { deleteZone(zoneUuid: "${zone?.uuid}") }`)).errors).toBeUndefined();
    expect(forgotten).toBe(2);
    const domain = `{ name: "forgetful", zoneUuid: "${catalog.rootZoneUuid}" }`;
    expect((await ask(`mutation { createDomain(input: ${domain}) { uuid } }`)).errors).toBeUndefined();
    expect(forgotten).toBe(3);
  });

  it("are created with the given members, and their roles get the parent's holders", async () => {
    const { data } = await createZone({
      name: 'North',
      description: 'cold',
      geoCoordinates: '60,10',
      parentZoneUuid: catalog.rootZoneUuid,
    });
    expect(data['zone']).toMatchObject({
      name: 'North',
      description: 'cold',
      geoCoordinates: '60,10',
      parentZoneUuid: catalog.rootZoneUuid,
      active: true,
      changeVersion: 1,
      createdByUuid: catalog.steward.uuid,
    });
    expect(data['zone']?.['zoneUuid']).toBe(data['zone']?.['uuid']);
    const roles = await catalog.database.prisma.role.findMany({
      where: { zoneUuid: String(data['zone']?.['uuid']) },
      include: { members: true },
      orderBy: { name: 'asc' },
    });
    expect(roles.map((role) => [role.name, role.members.length])).toEqual([
      ['Zone Admin', 1],
      ['Zone Data Steward', 1],
    ]);
  });

  it('refuses faulty input with all its causes, including unknown parents and users', async () => {
    const input = { name: 'x', geoCoordinates: '?', parentZoneUuid: newUuid(), adminUserUuids: [newUuid()] };
    const { code, causes } = await createZone(input);
    expect([code, causes]).toEqual([
      'VALIDATION_FAILED',
      [
        '/geoCoordinates WRONG_FORMAT',
        '/name OUT_OF_RANGE',
        '/parentZoneUuid UNKNOWN_REFERENCE',
        '/adminUserUuids/0 UNKNOWN_REFERENCE',
      ],
    ]);
    expect((await createZone({ name: 'Lost', parentZoneUuid: newUuid() })).code).toBe('UNKNOWN_REFERENCE');
  });

  it('siblings have different names, ignoring case; other zones may have the same name', async () => {
    const parent = await newZone('Family');
    await newZone('child', parent);
    expect((await createZone({ name: 'CHILD', parentZoneUuid: parent })).code).toBe('DUPLICATE_NAME');
    expect((await createZone({ name: 'child', parentZoneUuid: catalog.rootZoneUuid })).code).toBeUndefined();
    const other = await newZone('sister', parent);
    expect((await write('patchZone', other, { name: 'Child', changeVersion: 1 })).code).toBe('DUPLICATE_NAME');
  });

  it('child zones are created below the zone of the path, and listed by their parent', async () => {
    const parent = await newZone('Mother');
    const create =
      'mutation($z: Uuid!, $i: ZoneInput!) { createChildZone(zoneUuid: $z, input: $i) { parentZoneUuid } }';
    const { data } = await catalog.run(create, { z: parent, i: { name: 'kid' } });
    expect(data['createChildZone']).toEqual({ parentZoneUuid: parent });
    expect((await catalog.run(create, { z: newUuid(), i: { name: 'kid' } })).code).toBe('NOT_FOUND');
    const contradiction = await catalog.run(create, { z: parent, i: { name: 'two', parentZoneUuid: newUuid() } });
    expect(contradiction.causes).toEqual(['/parentZoneUuid CONTRADICTION']);
    const list = await catalog.run('query($p: Uuid) { zones(parentZoneUuid: $p) { data { name } } }', { p: parent });
    expect(list.data['zones']).toEqual({ data: [{ name: 'kid' }] });
  });

  it('a replacement clears the members that it omits, and a patch does not', async () => {
    const uuid = await newZone('Plain');
    const patched = await write('patchZone', uuid, { description: 'flat', changeVersion: 1 });
    expect(patched.data['zone']).toMatchObject({ name: 'Plain', description: 'flat', changeVersion: 2 });
    const replaced = await write('replaceZone', uuid, { name: 'Plains', changeVersion: 2 });
    expect(replaced.data['zone']).toMatchObject({ name: 'Plains', description: null, changeVersion: 3 });
  });

  it('has a schedule of reconciliations, which a patch keeps and a replacement clears', async () => {
    const uuid = await newZone('Compared');
    const members = 'reconcile { everyHours policy { values missingHere missingThere } } changeVersion';
    const change = async (mutation: string, input: object) => {
      const text = `mutation($z: Uuid!, $i: ZoneInput!) { zone: ${mutation}(zoneUuid: $z, input: $i) { ${members} } }`;
      return (await catalog.run(text, { z: uuid, i: input })).data['zone'];
    };
    const reconcile = { everyHours: 24, policy: { values: 'LATEST', missingHere: 'KEEP', missingThere: 'KEEP' } };
    const given = { everyHours: 24, policy: { values: 'LATEST' } };
    expect(await change('patchZone', { reconcile: given, changeVersion: 1 })).toEqual({ reconcile, changeVersion: 2 });
    const logged = await catalog.database.prisma.changeLogEntry.findFirst({
      where: { resourceUuid: uuid, action: 'PATCH' },
    });
    expect(JSON.parse(logged?.data ?? '{}')).toMatchObject({ reconcile });
    expect(await change('patchZone', { description: 'd', changeVersion: 2 })).toMatchObject({ reconcile });
    const plain = { everyHours: 1, policy: { values: 'KEEP', missingHere: 'KEEP', missingThere: 'KEEP' } };
    expect(await change('patchZone', { reconcile: { everyHours: 1 }, changeVersion: 3 })).toMatchObject({
      reconcile: plain,
    });
    const read = await catalog.run(`query($z: Uuid!) { zone(zoneUuid: $z) { ${members} } }`, { z: uuid });
    expect(read.data['zone']).toEqual({ reconcile: plain, changeVersion: 4 });
    expect(await change('replaceZone', { name: 'Compared', changeVersion: 4 })).toMatchObject({ reconcile: null });
  });

  it('changeVersion is required, and the refusal of a stale one contains the current one', async () => {
    const uuid = await newZone('Versioned');
    expect((await write('patchZone', uuid, { name: 'Other' })).code).toBe('CHANGE_VERSION_REQUIRED');
    const stale = await write('replaceZone', uuid, { name: 'Other', changeVersion: 7 });
    expect(stale.extensions).toMatchObject({ code: 'STALE_CHANGE_VERSION', currentChangeVersion: 1 });
    expect((await write('patchZone', newUuid(), { name: 'Other', changeVersion: 1 })).code).toBe('NOT_FOUND');
  });

  it('can move below another parent, but never below themselves', async () => {
    const top = await newZone('Top');
    const middle = await newZone('Middle', top);
    const bottom = await newZone('Bottom', middle);
    const cycle = await write('patchZone', top, { parentZoneUuid: bottom, changeVersion: 1 });
    expect([cycle.code, cycle.causes]).toEqual(['CONFLICT', ['/parentZoneUuid CYCLE']]);
    expect((await write('patchZone', top, { parentZoneUuid: top, changeVersion: 1 })).code).toBe('CONFLICT');
    const moved = await write('patchZone', bottom, { parentZoneUuid: top, changeVersion: 1 });
    expect(moved.data['zone']).toMatchObject({ parentZoneUuid: top, changeVersion: 2 });
  });

  it('Root stays at the top', async () => {
    const elsewhere = await newZone('Elsewhere');
    const { data } = await catalog.run('query($z: Uuid!) { zone(zoneUuid: $z) { changeVersion } }', {
      z: catalog.rootZoneUuid,
    });
    const moved = await write('patchZone', catalog.rootZoneUuid, {
      parentZoneUuid: elsewhere,
      changeVersion: data['zone']?.['changeVersion'],
    });
    expect(moved.code).toBe('CONFLICT');
  });

  it('a move requires the right to create zones below the new parent', async () => {
    const mine = await newZone('Mine');
    const theirs = await newZone('Theirs');
    const owner = principalWith([{ action: 'ALL', resource: `/zones/${mine}/*` }]);
    const move = 'mutation($z: Uuid!, $i: ZoneInput!) { patchZone(zoneUuid: $z, input: $i) { uuid } }';
    const { code } = await catalog.run(move, { z: mine, i: { parentZoneUuid: theirs, changeVersion: 1 } }, owner);
    expect(code).toBe('FORBIDDEN');
  });

  it('one of two concurrent moves that would close a circle is refused', async () => {
    const [a, b] = [await newZone('Left'), await newZone('Right')];
    const answers = await Promise.all([
      write('patchZone', a, { parentZoneUuid: b, changeVersion: 1 }),
      write('patchZone', b, { parentZoneUuid: a, changeVersion: 1 }),
    ]);
    expect(answers.map(({ code }) => code ?? 'moved').sort()).toEqual(['CONFLICT', 'moved']);
  });

  it('are deleted only when they are empty, and Root never', async () => {
    const parent = await newZone('Full');
    const child = await newZone('Within', parent);
    const remove = (z: string) => catalog.run('mutation($z: Uuid!) { deleteZone(zoneUuid: $z) }', { z });
    const refused = await remove(parent);
    expect([refused.code, refused.extensions['uses']]).toEqual(['IN_USE', { children: 1 }]);
    expect((await remove(child)).data).toEqual({ deleteZone: true });
    await catalog.run('mutation($z: Uuid) { createDomain(input: {name: "held", zoneUuid: $z}) { uuid } }', {
      z: parent,
    });
    expect((await remove(parent)).extensions['uses']).toEqual({ domains: 1 });
    expect((await remove(newUuid())).code).toBe('NOT_FOUND');
    expect(['IN_USE', 'CONFLICT']).toContain((await remove(catalog.rootZoneUuid)).code);
  });

  it('are deleted with their roles, memberships and permissions', async () => {
    const { prisma } = catalog.database;
    const person = newUuid();
    await prisma.person.create({ data: { uuid: person, username: `person ${person}` } });
    const { uuid } = await prisma.person.findUniqueOrThrow({ where: { username: 'admin' } });
    const create = (name: string): Promise<Answer> =>
      createZone({ name, adminUserUuids: [person], dataStewardUserUuids: [person] }, { ...catalog.steward, uuid });
    const gone = String((await create('First home')).data['zone']?.['uuid']);
    const kept = String((await create('Second home')).data['zone']?.['uuid']);
    const owned = async (zoneUuid: string) => [
      await prisma.role.count({ where: { zoneUuid } }),
      await prisma.zoneUser.count({ where: { zoneUuid } }),
      (await prisma.permission.count({ where: { zoneUuid } })) > 0,
    ];
    expect(await owned(gone)).toEqual([2, 1, true]);
    const [entryBefore] = await prisma.changeLogEntry.findMany({ orderBy: { position: 'desc' }, take: 1 });
    const remove = 'mutation($z: Uuid!) { deleteZone(zoneUuid: $z) }';
    expect((await catalog.run(remove, { z: gone })).data).toEqual({ deleteZone: true });
    expect(await owned(gone)).toEqual([0, 0, false]);
    expect(await owned(kept)).toEqual([2, 1, true]);
    const memberships = await prisma.zoneUser.findMany({ where: { personUuid: person } });
    expect(memberships).toMatchObject([{ zoneUuid: kept, defaultZone: true }]);
    const entries = await prisma.changeLogEntry.findMany({
      where: { position: { gt: entryBefore?.position ?? 0n } },
      orderBy: { position: 'asc' },
    });
    // one entry for each permission, and all permissions together
    const told = entries.map(({ action, resourceType }) => `${action} ${resourceType}`);
    const isRepeated = (entry: string, index: number): boolean =>
      entry === 'DELETE Permission' && told[index - 1] === entry;
    expect(told.filter((entry, index) => !isRepeated(entry, index))).toEqual([
      'DELETE Zone',
      'DELETE Permission',
      'DELETE Role',
      'DELETE Role',
      'DELETE User',
      'PATCH User',
    ]);
    expect(new Set(entries.map(({ actorUuid }) => actorUuid))).toEqual(new Set([catalog.steward.uuid]));
  });

  it('leave their adaptor types without a zone', async () => {
    const zoneUuid = await newZone('Typed');
    const create = 'mutation($z: Uuid) { createAdaptorType(input: {name: "Typed", zoneUuid: $z}) { uuid } }';
    const uuid = String((await catalog.run(create, { z: zoneUuid })).data['createAdaptorType']?.['uuid']);
    await catalog.run('mutation($z: Uuid!) { deleteZone(zoneUuid: $z) }', { z: zoneUuid });
    const read = 'query($t: Uuid!) { adaptorType(adaptorTypeUuid: $t) { zoneUuid changeVersion } }';
    expect((await catalog.run(read, { t: uuid })).data['adaptorType']).toEqual({ zoneUuid: null, changeVersion: 2 });
    const entry = { resourceUuid: uuid, action: 'PATCH' };
    expect(await catalog.database.prisma.changeLogEntry.count({ where: entry })).toBe(1);
  });

  it('keep everything when they cannot be deleted', async () => {
    const parent = await newZone('Kept');
    await newZone('Anchor', parent);
    await catalog.run('mutation($z: Uuid!) { deleteZone(zoneUuid: $z) }', { z: parent });
    expect(await catalog.database.prisma.role.count({ where: { zoneUuid: parent } })).toBe(2);
  });

  it('are listed in pages, sorted and filtered', async () => {
    const parent = await newZone('Shelf');
    for (const name of ['b', 'c', 'a']) await newZone(`${name}${name}`, parent);
    const list = (args: string) =>
      catalog.run(
        `query($p: Uuid) { zones(parentZoneUuid: $p, ${args}) { data { name } page { page size totalElements totalPages } } }`,
        { p: parent },
      );
    expect((await list('size: 2')).data['zones']).toEqual({
      data: [{ name: 'aa' }, { name: 'bb' }],
      page: { page: 0, size: 2, totalElements: 3, totalPages: 2 },
    });
    expect((await list('sort: "-name", size: 1, page: 1')).data['zones']).toMatchObject({ data: [{ name: 'bb' }] });
    expect((await list('page: 2147483647, size: 1000')).data['zones']).toMatchObject({ data: [] });
    expect((await list('zoneName: "cc", active: true')).data['zones']).toMatchObject({ data: [{ name: 'cc' }] });
    expect((await list('active: false')).data['zones']).toMatchObject({ data: [] });
    expect((await list('sort: "colour"')).code).toBe('INVALID_PARAMETER');
    expect((await list('size: 1001')).code).toBe('INVALID_PARAMETER');
    expect((await list('zoneName: "\\u0000"')).code).toBe('INVALID_PARAMETER');
  });

  it('every change is in the change log with its actor', async () => {
    const uuid = await newZone('Logged');
    await write('patchZone', uuid, { description: 'd', changeVersion: 1 });
    await catalog.run('mutation($z: Uuid!) { deleteZone(zoneUuid: $z) }', { z: uuid });
    const entries = await catalog.database.prisma.changeLogEntry.findMany({
      where: { resourceUuid: uuid, resourceType: 'Zone' },
      orderBy: { position: 'asc' },
    });
    expect(entries.map((entry) => [entry.action, entry.resource, entry.actorUuid])).toEqual(
      ['POST', 'PATCH', 'DELETE'].map((action) => [action, `/zones/${uuid}`, catalog.steward.uuid]),
    );
  });
});
