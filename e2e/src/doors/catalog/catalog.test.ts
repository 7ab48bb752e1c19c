import { beforeAll, describe, expect, it } from '@jest/globals';
import { requireStatus } from '../../harness/catalogue.js';
import type { RawAnswer } from '../../harness/exchange.js';
import { expectProblem } from '../expect-problem.js';
import type { Door, Resource } from '../open-doors.js';
import { shareDoors } from '../set-up-doors.js';
import { nobody, uniqueName } from '../unique-name.js';

interface Listing {
  readonly zones: readonly Resource[];
  readonly adaptors: readonly Resource[];
  readonly adaptorTypes: readonly Resource[];
  readonly domains: readonly Resource[];
  readonly _links: Readonly<Record<'self' | 'first' | 'last', string>> & {
    readonly next?: string;
    readonly prev?: string;
  };
  readonly _page: { readonly page: number; readonly size: number; readonly totalElements: number };
}

const names = (resources: readonly Resource[]): string[] => resources.map(({ name }) => name);

describe('the catalog of zones, adaptor types and adaptors', () => {
  const { doors } = shareDoors();
  let adaptors: string;

  beforeAll(async () => {
    adaptors = `/zones/${doors.root}/adaptors`;
  }, 120_000);

  /** POSTs, follows `Location`, and returns the created resource. */
  const create = async (door: Door, path: string, json: unknown): Promise<Resource> => {
    const answer = requireStatus(await door.rest('POST', path, json), 201);
    const location = new URL(String(answer.headers['location']), doors.service.baseUrl).pathname;
    expect(location.endsWith(`/${answer.body.uuid}`)).toBe(true);
    const found = requireStatus(await door.call<Resource>(location), 200);
    expect(answer.body).toMatchObject(found.body);
    return answer.body;
  };
  const get = async <Body = Resource>(door: Door, path: string): Promise<Body> =>
    requireStatus(await door.rest<Body>('GET', path), 200).body;
  const expectGone = async (door: Door, path: string): Promise<void> => {
    expectProblem(await door.rest<unknown>('GET', path), { status: 404, code: 'NOT_FOUND' });
  };
  const newZone = (json: Record<string, unknown> = {}): Promise<Resource> =>
    create(doors.admin, '/zones', { name: uniqueName('Zone'), parentZoneUuid: doors.root, ...json });
  const newAdaptor = (json: Record<string, unknown> = {}): Promise<Resource> =>
    create(doors.dgs, adaptors, { name: uniqueName('Adaptor'), ...json });

  it.each([
    ['metadata', { metadata: 5 }, '/metadata'],
    ['broken metadata', { metadata: '[1' }, '/metadata'],
    ['too large metadata', { metadata: { long: 'x'.repeat(100_000) } }, '/metadata'],
    ['an action', { capabilities: [{ domainName: 'a1', versionNumber: 1, action: 'FLY' }] }, '/capabilities/0/action'],
    ['capabilities', { capabilities: 'no list' }, '/capabilities'],
    ['a state', { state: 'FLY' }, '/state'],
    ['an activity', { active: 'yes' }, '/active'],
  ])('reports wrong %s of a new adaptor and its unknown type at once', async (_, wrong, pointer) => {
    const json = { name: uniqueName('wrong'), adaptorTypeUuid: nobody, ...wrong };
    const answer = await doors.dgs.rest('POST', `/zones/${doors.root}/adaptors`, json);
    const pointers = ['/adaptorTypeUuid', pointer];
    expectProblem(answer, { status: 400, code: 'VALIDATION_FAILED', pointers });
  });

  it('creates, reads, replaces, patches and deletes a zone', async () => {
    const { admin, root } = doors;
    const before = Date.now();
    const zone = await newZone({ description: 'first', geoCoordinates: '52.5,13.4' });
    expect(zone).toMatchObject({
      zoneUuid: zone.uuid,
      parentZoneUuid: root,
      description: 'first',
      geoCoordinates: '52.5,13.4',
      active: true,
      changeVersion: 1,
      createdByUuid: expect.any(String),
    });
    for (const date of ['dateCreated', 'lastUpdated']) {
      expect(Number.isInteger(zone[date])).toBe(true);
      expect(Math.abs(Number(zone[date]) - before)).toBeLessThan(10_000);
    }
    const path = `/zones/${zone.uuid}`;
    const reconcile = { everyHours: 24, policy: { values: 'LATEST', missingHere: 'SEND' } };
    const patched = await admin.rest('PATCH', path, { changeVersion: 1, description: 'second', reconcile });
    expect(requireStatus(patched, 200).body).toMatchObject({
      geoCoordinates: '52.5,13.4',
      description: 'second',
      reconcile: { everyHours: 24, policy: { values: 'LATEST', missingHere: 'SEND', missingThere: 'KEEP' } },
    });
    for (const [faulty, pointer] of [
      [{ everyHours: 0 }, '/reconcile/everyHours'],
      [{ policy: {} }, '/reconcile/everyHours'],
      [{ everyHours: 1, policy: { values: 'MINE' } }, '/reconcile/policy/values'],
    ] as const) {
      const refused = await admin.rest('PATCH', path, { changeVersion: 2, reconcile: faulty });
      expectProblem(refused, { status: 400, code: 'VALIDATION_FAILED', pointers: [pointer] });
    }
    const name = uniqueName('Renamed');
    const replaced = await admin.rest('PUT', path, { changeVersion: 2, name, parentZoneUuid: root });
    expect(requireStatus(replaced, 200).body).toMatchObject({
      name,
      changeVersion: 3,
      dateCreated: zone['dateCreated'],
    });
    const read = await get(admin, path);
    expect(read).toEqual(replaced.body);
    expect(['description', 'geoCoordinates', 'reconcile'].map((name) => read[name] ?? null)).toEqual([
      null,
      null,
      null,
    ]);
    requireStatus(await admin.rest('DELETE', path), 204);
    await expectGone(admin, path);
  });

  it('keeps zones below zones, and moves them', async () => {
    const { admin, root } = doors;
    const [parent, other] = [await newZone(), await newZone()];
    const child = requireStatus(await admin.rest('POST', `/zones/${parent.uuid}/child-zones`, { name: 'Same' }), 201);
    expect(child.body['parentZoneUuid']).toBe(parent.uuid);
    // a name must only be unique among siblings
    requireStatus(await admin.rest('POST', `/zones/${other.uuid}/child-zones`, { name: 'Same ' }), 201);
    const children = await get<Listing>(admin, `/zones/${parent.uuid}/child-zones`);
    expect(children.zones).toEqual([await get(admin, `/zones/${child.body.uuid}`)]);
    const json = { changeVersion: 1, parentZoneUuid: root, name: uniqueName('Moved') };
    const moved = await admin.rest('PATCH', `/zones/${child.body.uuid}`, json);
    expect(requireStatus(moved, 200).body['parentZoneUuid']).toBe(root);
    expect((await get<Listing>(admin, `/zones/${parent.uuid}/child-zones`)).zones).toEqual([]);
  });

  it('walks a list by its links from first to last and back, in order', async () => {
    const { admin, service } = doors;
    const parent = await newZone();
    const wanted = ['Zeta', 'Alpha', 'Mitte', 'Beta', 'Ypsilon'];
    for (const name of wanted)
      requireStatus(await admin.rest('POST', `/zones/${parent.uuid}/child-zones`, { name }), 201);
    const follow = async (link = ''): Promise<Listing> => {
      const { origin, pathname, search, searchParams } = new URL(link);
      expect([origin, searchParams.get('sort'), searchParams.get('size')]).toEqual([service.baseUrl, '-name', '2']);
      return requireStatus(await admin.call<Listing>(`${pathname}${search}`), 200).body;
    };
    const pages = [await get<Listing>(admin, `/zones/${parent.uuid}/child-zones?sort=-name&size=2&fields=name,uuid`)];
    for (let page = pages[0]; page?._links.next !== undefined; page = pages.at(-1)) {
      pages.push(await follow(page._links.next));
    }
    expect(pages.flatMap(({ zones }) => names(zones))).toEqual(wanted.toSorted().toReversed());
    expect(pages.map(({ _page }) => _page)).toEqual(
      [0, 1, 2].map((page) => ({ page, size: 2, totalElements: 5, totalPages: 3 })),
    );
    const [first, , last] = pages as [Listing, Listing, Listing];
    expect([first._links.prev, last._links.next]).toEqual([undefined, undefined]);
    const back = [last];
    for (let page: Listing | undefined = last; page?._links.prev !== undefined; page = back.at(-1)) {
      back.push(await follow(page._links.prev));
    }
    expect(back.toReversed().map(({ zones }) => zones)).toEqual(pages.map(({ zones }) => zones));
    expect((await follow(last._links.first)).zones).toEqual(first.zones);
    expect((await follow(first._links.last)).zones).toEqual(last.zones);
    expect((await follow(last._links.self)).zones).toEqual(last.zones);
    const beyond = await get<Listing>(admin, `/zones/${parent.uuid}/child-zones?page=99&size=2&sort=-name`);
    expect(beyond).toMatchObject({ zones: [], _page: { page: 99, totalElements: 5 } });
    expect(beyond._links.next).toBeUndefined();
  });

  it('finds a name with a comma and a colon, in quotes or encoded twice', async () => {
    const { admin } = doors;
    const { name } = await newZone({ name: 'North, by: "North" & West' });
    const twice = encodeURIComponent(encodeURIComponent(name));
    const once = encodeURIComponent('North, by: x');
    expect(names((await get<Listing>(admin, `/zones?filters=name:${twice}`)).zones)).toEqual([name]);
    const plain = await newZone({ name: 'North, by: x' });
    expect(names((await get<Listing>(admin, `/zones?filters=name:%22${once}%22`)).zones)).toEqual([plain.name]);
  });

  it('shows only the requested fields, also nested ones, of one resource and of lists', async () => {
    const { dgs } = doors;
    const adaptor = await newAdaptor();
    const one = await get(dgs, `${adaptors}/${adaptor.uuid}?fields=name,adaptorType.name`);
    expect(one).toEqual({ name: adaptor.name, adaptorType: { name: 'default' } });
    const many = await get<Listing>(dgs, `${adaptors}?fields=uuid&filters=name:${adaptor.name}`);
    expect(many.adaptors).toEqual([{ uuid: adaptor.uuid }]);
    expect(many._page.totalElements).toBe(1);
  });

  it('creates, reads, replaces, patches and deletes an adaptor type', async () => {
    const { dgs } = doors;
    const json = {
      name: uniqueName('Type'),
      description: 'first',
      version: '1.0',
      adaptorTypeLabel: 'TYPE',
      defaultCapabilities: [{ domainName: 'some-domain', versionNumber: 1, action: 'POST', direction: 'IN' }],
      defaultMetadata: { colour: 'red', deep: { list: [1, 'two', null] } },
    };
    const type = await create(dgs, '/adaptor-types', json);
    expect(type).toMatchObject({ ...json, changeVersion: 1, dateCreated: expect.any(Number) });
    const path = `/adaptor-types/${type.uuid}`;
    const encoded = { changeVersion: 1, defaultMetadata: '{"colour":"blue"}' };
    const patched = requireStatus(await dgs.rest('PATCH', path, encoded), 200);
    expect(patched.body).toMatchObject({ description: 'first', defaultMetadata: { colour: 'blue' }, changeVersion: 2 });
    const replaced = requireStatus(await dgs.rest('PUT', path, { changeVersion: 2, name: json.name }), 200);
    expect(await get(dgs, path)).toEqual(replaced.body);
    expect([replaced.body['description'] ?? null, replaced.body['defaultCapabilities']]).toEqual([null, []]);
    requireStatus(await dgs.rest('DELETE', path), 204);
    await expectGone(dgs, path);
  });

  it('has predefined adaptor types', async () => {
    const { adaptorTypes } = await get<Listing>(doors.dgs, '/adaptor-types');
    const wanted = ['Database Adaptor', 'File System Adaptor', 'Temporal Adaptor', 'Web Hook Adaptor', 'default'];
    expect(names(adaptorTypes)).toEqual(expect.arrayContaining(wanted));
  });

  const capability = { domainName: 'some-domain', versionNumber: 1, action: 'POST', direction: 'IN' };
  it.each([
    ['native', [capability], { url: 'jdbc:x', port: 5 }],
    ['JSON-encoded', JSON.stringify([capability]), '{"url":"jdbc:x","port":5}'],
  ])('creates an adaptor with %s capabilities and metadata', async (_, capabilities, metadata) => {
    const { dgs, root } = doors;
    const adaptor = await newAdaptor({ description: 'an adaptor', capabilities, metadata });
    expect(adaptor).toMatchObject({ clientId: expect.any(String), clientSecret: expect.any(String) });
    const { clientId, clientSecret } = adaptor;
    const read = await dgs.rest('GET', `${adaptors}/${adaptor.uuid}`);
    expect(read.body).toMatchObject({
      uuid: adaptor.uuid,
      zoneUuid: root,
      state: 'DOWN',
      active: true,
      discoveryMode: false,
      capabilities: [capability],
      metadata: { url: 'jdbc:x', port: 5 },
      adaptorType: { name: 'default', uuid: expect.any(String), dateCreated: expect.any(Number) },
      changeVersion: 1,
    });
    expect(read.text).not.toContain(clientSecret);
    expect(await get(dgs, `${adaptors}/${adaptor.uuid}/registration`)).toMatchObject({
      uuid: adaptor.uuid,
      zoneUuid: root,
      clientId,
      clientSecret,
      messageBusUrl: expect.stringMatching(/^tcp:\/\/[\w.]+:\d+$/),
    });
  });

  it('gives an adaptor the values of its type if its own are absent', async () => {
    const { dgs } = doors;
    const type = await create(dgs, '/adaptor-types', {
      name: uniqueName('Type'),
      defaultCapabilities: [capability],
      defaultMetadata: { colour: 'red' },
    });
    const adaptor = await newAdaptor({ adaptorTypeUuid: type.uuid });
    const path = `${adaptors}/${adaptor.uuid}`;
    const inherited = { capabilities: [capability], metadata: { colour: 'red' } };
    expect(await get(dgs, path)).toMatchObject({ ...inherited, adaptorType: { uuid: type.uuid } });
    const own = { changeVersion: 1, capabilities: [], metadata: { colour: 'blue' } };
    requireStatus(await dgs.rest('PATCH', path, own), 200);
    expect(await get(dgs, path)).toMatchObject({ capabilities: [], metadata: { colour: 'blue' } });
    requireStatus(await dgs.rest('PATCH', path, { changeVersion: 2, capabilities: null, metadata: null }), 200);
    expect(await get(dgs, path)).toMatchObject(inherited);
  });

  it('accepts the exact body that it returned; a PUT empties absent members', async () => {
    const { dgs } = doors;
    const adaptor = await newAdaptor({ description: 'kept', capabilities: [capability], metadata: { a: [1, null] } });
    const path = `${adaptors}/${adaptor.uuid}`;
    const got = await get(dgs, path);
    const back = requireStatus(await dgs.rest('PUT', path, got), 200).body;
    const { lastUpdated: _, changeVersion, ...rest } = got;
    expect(back).toMatchObject({ ...rest, changeVersion: expect.any(Number) });
    expect([changeVersion, changeVersion + 1]).toContain(back.changeVersion);
    const bare = await dgs.rest('PUT', path, { name: adaptor.name, changeVersion: back.changeVersion });
    expect(requireStatus(bare, 200).body['description'] ?? null).toBeNull();
    expect(bare.body).toMatchObject({ capabilities: [], active: true, state: 'DOWN' });
  });

  it('accepts the body that it returned after creating an adaptor, including the credentials', async () => {
    const { dgs } = doors;
    const { clientSecret, ...adaptor } = await newAdaptor({ metadata: { a: 1 } });
    const path = `${adaptors}/${adaptor.uuid}`;
    const back = requireStatus(await dgs.rest('PUT', path, { ...adaptor, clientSecret, description: 'new' }), 200);
    expect(back.body).toMatchObject({ metadata: { a: 1 }, description: 'new' });
    expect((await get(dgs, `${path}/registration`))['clientSecret']).toBe(clientSecret);
  });

  it('gives a zone the named holders of its roles, otherwise the holders of its parent zone', async () => {
    const { admin, dgs } = doors;
    const personOf = async (door: Door): Promise<string> => String((await get(door, '/token'))['sub']);
    const zone = await newZone({ dataStewardUserUuids: [await personOf(admin)] });
    const child = requireStatus(
      await admin.rest('POST', `/zones/${zone.uuid}/child-zones`, { name: uniqueName('Child') }),
      201,
    ).body;
    const statusFor = async (door: Door, { uuid }: Resource): Promise<number> =>
      (await door.rest('POST', `/zones/${uuid}/adaptors`, { name: 'x' })).status;
    expect([await statusFor(admin, zone), await statusFor(admin, child)]).toEqual([201, 201]);
    expect([await statusFor(dgs, zone), await statusFor(dgs, child)]).toEqual([403, 403]);
    const path = `/zones/${zone.uuid}`;
    for (const [json, pointer] of [
      [{ changeVersion: 1, adminUserUuids: [await personOf(dgs)] }, '/adminUserUuids'],
      [{ changeVersion: 1, geoCoordinates: '91,0' }, '/geoCoordinates'],
    ] as const) {
      const problem = { status: 400, code: 'VALIDATION_FAILED', pointers: [pointer] };
      expectProblem(await admin.rest<unknown>('PATCH', path, json), problem);
    }
    const none = { name: uniqueName('Zone'), adminUserUuids: [], dataStewardUserUuids: [child.uuid] };
    expectProblem(await admin.rest<unknown>('POST', '/zones', none), {
      status: 400,
      code: 'VALIDATION_FAILED',
      pointers: ['/adminUserUuids', '/dataStewardUserUuids/0'],
    });
  });

  it('refuses capabilities that are repeated or too large, and names their places', async () => {
    const { dgs } = doors;
    const invalid = { status: 400, code: 'VALIDATION_FAILED' };
    for (const [json, pointer] of [
      [{ capabilities: [capability, capability] }, '/capabilities/1'],
      [{ capabilities: JSON.stringify([{ ...capability, action: 'READ' }]) }, '/capabilities/0/action'],
      [{ capabilities: [{ ...capability, direction: 'UP' }] }, '/capabilities/0/direction'],
      [{ metadata: { text: 'x'.repeat(100_000) } }, '/metadata'],
    ] as const) {
      const answer = await dgs.rest<unknown>('POST', adaptors, { name: 'x', ...json });
      expectProblem(answer, { ...invalid, pointers: [pointer] });
    }
    const type = { name: uniqueName('Type'), defaultCapabilities: [capability, capability] };
    const answer = await dgs.rest<unknown>('POST', '/adaptor-types', type);
    expectProblem(answer, { ...invalid, pointers: ['/defaultCapabilities/1'] });
  });

  it('lists by GraphQL with the filters of REST', async () => {
    const { dgs, root } = doors;
    const type = await create(dgs, '/adaptor-types', { name: uniqueName('Type'), defaultCapabilities: [capability] });
    const heir = await newAdaptor({ adaptorTypeUuid: type.uuid });
    const gone = await newAdaptor({ adaptorTypeUuid: type.uuid, capabilities: '[]' });
    requireStatus(await dgs.rest('DELETE', `${adaptors}/${gone.uuid}`), 204);
    const ask = async (args: string): Promise<readonly string[]> => {
      const query = `query ($t: Uuid) { adaptors(zoneName: "Root", adaptorTypeUuid: $t, ${args}) { data { name linkageCount } } }`;
      const { body } = await dgs.graphql<{ adaptors: { data: Resource[] } }>(query, { t: type.uuid });
      return names(body.data?.adaptors.data ?? []);
    };
    expect(await ask('page: 0')).toEqual([heir.name]);
    expect((await ask('includeInactive: true, sort: "name"')).toSorted()).toEqual([heir.name, gone.name].toSorted());
    expect(await ask('active: false')).toEqual([gone.name]);
    expect(await ask('includeInactive: true, action: POST, state: DOWN')).toEqual([heir.name]);
    const { body } = await dgs.graphql<Record<string, { data: Resource[] }>>(
      `query ($n: String, $z: Uuid) { adaptorTypes(name: $n) { data { name defaultCapabilities { action } } }
        zones(zoneUuid: $z) { data { name parentZoneUuid } } }`,
      { n: type.name, z: root },
    );
    expect(body.data).toEqual({
      adaptorTypes: { data: [{ name: type.name, defaultCapabilities: [{ action: 'POST' }] }] },
      zones: { data: [{ name: 'Root', parentZoneUuid: null }] },
    });
  });

  it('accepts the returned body of zones, types and domains too', async () => {
    const { admin, dgs } = doors;
    const zone = await newZone({ description: 'kept' });
    const type = await create(dgs, '/adaptor-types', { name: uniqueName('Type'), defaultMetadata: { a: 1 } });
    const domain = await create(dgs, '/domains', { name: uniqueName('domain'), description: 'kept' });
    for (const [door, path] of [
      [admin, `/zones/${zone.uuid}`],
      [dgs, `/adaptor-types/${type.uuid}`],
      [dgs, `/domains/${domain.uuid}`],
    ] as const) {
      const { lastUpdated: _, changeVersion: __, ...got } = await get(door, path);
      const answer: RawAnswer<Resource> = await door.rest('PUT', path, await get(door, path));
      expect(requireStatus(answer, 200).body).toMatchObject(got);
    }
  });

  it('hides a softly deleted adaptor, restores it, and removes a hard deleted one', async () => {
    const { dgs } = doors;
    const adaptor = await newAdaptor({ metadata: { kept: true } });
    const path = `${adaptors}/${adaptor.uuid}`;
    const listed = async (query = ''): Promise<string[]> =>
      names((await get<Listing>(dgs, `${adaptors}?filters=name:${adaptor.name}${query}`)).adaptors);
    expect(await listed()).toEqual([adaptor.name]);
    requireStatus(await dgs.rest('DELETE', path), 204);
    expect(await listed()).toEqual([]);
    expect(await listed('&options=include-inactive:true')).toEqual([adaptor.name]);
    expect(await listed('&options=include-inactive:false')).toEqual([]);
    const hidden = await get(dgs, path);
    expect(hidden).toMatchObject({ active: false, metadata: { kept: true } });
    const json = { changeVersion: hidden.changeVersion, active: true };
    requireStatus(await dgs.rest('PATCH', path, json), 200);
    expect(await listed()).toEqual([adaptor.name]);
    requireStatus(await dgs.rest('DELETE', `${path}?force=true`), 204);
    await expectGone(dgs, path);
    expect(await listed('&options=include-inactive:true')).toEqual([]);
  });

  it('counts linkages when requested', async () => {
    const { dgs } = doors;
    const adaptor = await newAdaptor();
    const option = 'options=include-linkages:true';
    expect(await get(dgs, `${adaptors}/${adaptor.uuid}?${option}`)).toMatchObject({ linkageCount: 0 });
    const listed = await get<Listing>(dgs, `${adaptors}?${option},include-inactive:true&filters=name:${adaptor.name}`);
    expect(listed.adaptors).toMatchObject([{ linkageCount: 0 }]);
    expect(await get(dgs, `${adaptors}/${adaptor.uuid}`)).not.toHaveProperty('linkageCount');
  });

  it('accepts `status` as `active`, and a state without changeVersion', async () => {
    const { dgs } = doors;
    const path = `${adaptors}/${(await newAdaptor()).uuid}`;
    requireStatus(await dgs.rest('PATCH', path, { changeVersion: 1, status: false }), 200);
    const inactive = await get(dgs, path);
    expect(inactive['active']).toBe(false);
    requireStatus(await dgs.rest('PATCH', path, { changeVersion: inactive.changeVersion, status: true }), 200);
    requireStatus(await dgs.rest('PATCH', path, { state: 'PAUSE' }), 200);
    expect(await get(dgs, path)).toMatchObject({ state: 'DOWN_PAUSED', active: true });
    requireStatus(await dgs.rest('PATCH', path, { state: 'PLAY' }), 200);
    expect(await get(dgs, path)).toMatchObject({ state: 'DOWN' });
  });

  it('filters and sorts adaptors', async () => {
    const { dgs } = doors;
    const type = await create(dgs, '/adaptor-types', { name: uniqueName('Type') });
    const one = await newAdaptor({ name: 'Adaptor b', adaptorTypeUuid: type.uuid });
    const two = await newAdaptor({ name: 'Adaptor a', adaptorTypeUuid: type.uuid, capabilities: [capability] });
    const list = async (filters: string): Promise<string[]> =>
      names((await get<Listing>(dgs, `${adaptors}?filters=adaptor-type-uuid:${type.uuid}${filters}`)).adaptors);
    expect(await list('&sort=name')).toEqual([two.name, one.name]);
    expect(await list('&sort=-name')).toEqual([one.name, two.name]);
    expect(await list('&sort=-dateCreated')).toEqual([two.name, one.name]);
    expect(await list('&sort=adaptorType.name,-name')).toEqual([one.name, two.name]);
    expect(await list(',action:POST')).toEqual([two.name]);
    expect(await list(',state:DOWN&sort=name')).toEqual([two.name, one.name]);
    expect(await list(',state:STARTED')).toEqual([]);
  });

  it('keeps integers of metadata beyond 2^53', async () => {
    const { dgs } = doors;
    const adaptor = await newAdaptor({ metadata: { big: 9_223_372_036_854_775_807n } });
    const { text } = await dgs.rest('GET', `${adaptors}/${adaptor.uuid}`);
    expect(text).toContain(':9223372036854775807');
  });
});
