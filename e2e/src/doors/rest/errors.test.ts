import { beforeAll, describe, expect, it } from '@jest/globals';
import { requireStatus } from '../../harness/catalogue.js';
import { expectNoInternals, expectProblem } from '../expect-problem.js';
import type { Door, Doors, Resource } from '../open-doors.js';
import { shareDoors } from '../set-up-doors.js';
import {
  bodies,
  changeVersions,
  conflict,
  conflicts,
  mixed,
  model,
  models,
  notFound,
  paths,
  references,
  type Refusal,
} from './refusals.js';
import { nobody, uniqueName } from '../unique-name.js';

/** Resources that the tables refer to as `{zone}`, `{adaptor}` and so on. */
interface World {
  readonly root: string;
  readonly zone: string;
  readonly adaptorType: string;
  readonly adaptor: string;
  readonly domain: string;
  readonly version: string;
  readonly other: string;
  readonly nobody: string;
}

const createWorld = async ({ admin, dgs, root }: Doors): Promise<World> => {
  const create = async (door: Door, path: string, json: unknown): Promise<string> =>
    requireStatus(await door.rest('POST', path, json), 201).body.uuid;
  const domain = await create(dgs, '/domains', { name: 'taken-name' });
  return {
    root,
    nobody,
    domain,
    zone: await create(admin, '/zones', { name: 'Taken zone', parentZoneUuid: root }),
    adaptorType: await create(dgs, '/adaptor-types', { name: 'Taken type' }),
    adaptor: await create(dgs, `/zones/${root}/adaptors`, { name: 'Taken adaptor' }),
    other: await create(dgs, '/domains', { name: 'other-name' }),
    version: await create(dgs, `/domains/${domain}/versions`, { modelSchema: model, drKeyProperties: ['id'] }),
  };
};

describe('refusals of the REST door', () => {
  const { doors } = shareDoors();
  let world: World;

  beforeAll(async () => {
    world = await createWorld(doors);
  }, 120_000);

  const fill = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/g, (place, name: string) => (world as unknown as Record<string, string>)[name] ?? place);
  const refuse = async ([, as, request, json, expected]: Refusal): Promise<void> => {
    const [method = '', path = ''] = fill(request).split(' ');
    let body = json === undefined ? undefined : (JSON.parse(fill(JSON.stringify(json))) as unknown);
    if (JSON.stringify(json)?.includes('{changeVersion}')) {
      const { changeVersion } = (await doors[as].rest('GET', path)).body;
      body = { ...(body as object), changeVersion };
    }
    const answer = await doors[as].rest<unknown>(method, path, body);
    expectProblem(answer, expected);
  };

  it.each(bodies)('names %s in a body (%s, %s)', (...row) => refuse(row));
  it.each(mixed)('names %s in a body (%s, %s)', (...row) => refuse(row));
  it.each(models)('names %s in a model (%s, %s)', (...row) => refuse(row));
  it.each(references)('names %s that does not exist (%s, %s)', (...row) => refuse(row));
  it.each(paths)('does not find %s (%s, %s)', (...row) => refuse(row));
  it.each(conflicts)('refuses conflicts with %s (%s, %s)', (...row) => refuse(row));
  it.each(changeVersions)('requires a changeVersion for %s (%s, %s)', (...row) => refuse(row));

  it.each([
    ['a broken object', '{"name": "Zone", '],
    ['a word', 'name=Zone'],
    ['a trailing brace', '{"name": "Zone"}}'],
  ])('reports where %s is not JSON', async (_, text) => {
    const answer = await doors.admin.call('/api/zones', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      text,
    });
    const { detail } = expectProblem(answer, { status: 400, code: 'MALFORMED_JSON' });
    expect(detail).toMatch(/\d/);
  });

  it.each([
    ['PUT', '/zones', ['GET', 'POST']],
    ['DELETE', '/domains', ['GET', 'POST']],
    ['DELETE', `/domains/${nobody}`, ['GET', 'PUT', 'PATCH']],
    ['POST', '/token', ['GET']],
    ['PUT', '/drs', ['GET', 'POST']],
  ])('answers %s %s with 405 and the allowed methods', async (method, path, allowed) => {
    const answer = await doors.admin.rest<unknown>(method, path);
    expectProblem(answer, { status: 405, code: 'METHOD_NOT_ALLOWED' });
    const allow = String(answer.headers['allow']).split(/\s*,\s*/);
    expect(allow).toEqual(expect.arrayContaining(allowed));
    expect(allow).not.toContain(method);
  });

  it('offers JSON only', async () => {
    const answer = await doors.admin.call('/api/zones', { headers: { accept: 'application/xml' } });
    expectProblem(answer, { status: 406, code: 'NOT_ACCEPTABLE' });
    for (const accept of ['*/*', 'text/html, application/*;q=0.5', 'application/json']) {
      requireStatus(await doors.admin.call('/api/zones', { headers: { accept } }), 200);
    }
  });

  it('takes bodies up to 1 MB', async () => {
    const text = JSON.stringify({ name: 'Zone', description: 'x'.repeat(1_100_000) });
    const answer = await doors.admin.call('/api/zones', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      text,
    });
    expectProblem(answer, { status: 413, code: 'PAYLOAD_TOO_LARGE' });
  });

  it.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded'])('refuses %s', async (type) => {
    const answer = await doors.admin.call('/api/zones', {
      method: 'POST',
      headers: { 'content-type': type },
      text: '{"name": "Zone"}',
    });
    expectProblem(answer, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' });
  });

  it.each([
    ['a filter', '/zones?filters=colour:red', 'filters', 'name'],
    ['a sort key', '/zones?sort=-colour', 'sort', 'dateCreated'],
    ['a field', '/zones?fields=colour', 'fields', 'name'],
    ['a filter of adaptors', '/zones/{root}/adaptors?filters=colour:red', 'filters', 'adaptor-type-uuid'],
    ['an option', '/zones/{root}/adaptors?options=colour:red', 'options', 'include-inactive'],
    ['a filter of versions', '/domains/versions?filters=colour:red', 'filters', 'version'],
    ['a field of versions', '/domains/versions?fields=domain.colour', 'fields', 'domainType'],
    ['a filter of records', '/drs?filters=name:taken-name,colour:red', 'filters', 'dr-uuids'],
    ['a sort key of records', '/drs?filters=name:taken-name&sort=size', 'sort', 'id'],
  ])('lists the allowed names for %s', async (_, path, pointer, allowed) => {
    const door = path.startsWith('/zones?') ? doors.admin : doors.dgs;
    const answer = await door.rest<unknown>('GET', fill(path));
    const problem = expectProblem(answer, { status: 400, code: 'INVALID_PARAMETER' });
    expect((problem.errors ?? []).map((cause) => cause.pointer.split('.')[0])).toContain(pointer);
    expect(answer.text).toMatch(new RegExp(`\\b${allowed}\\b`));
  });

  it.each([
    ['page=-1', ['page']],
    ['page=1.5', ['page']],
    ['size=0', ['size']],
    ['size=1001', ['size']],
    ['size=many', ['size']],
    ['page=-1&size=0&sort=colour&filters=colour:red&fields=colour', ['page', 'size', 'sort', 'filters', 'fields']],
  ])('refuses ?%s with every cause', async (query, pointers) => {
    const answer = await doors.admin.rest<unknown>('GET', `/zones?${query}`);
    expectProblem(answer, { status: 400, code: 'INVALID_PARAMETER', pointers });
  });

  it('requires a domain or uuids to list records', async () => {
    const answer = await doors.dgs.rest<unknown>('GET', '/drs');
    expectProblem(answer, { status: 400, code: 'INVALID_PARAMETER' });
  });

  it.each([
    ['a NUL character', 'POST', '/zones', '{"name": "Zo\\u0000ne"}'],
    ['half a surrogate pair', 'POST', '/zones', '{"name": "Zo\\ud800ne"}'],
    ['nesting without end', 'POST', '/zones', `{"name": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
    ['a member of every object', 'POST', '/zones', '{"name": "Zone", "__proto__": {"admin": true}}'],
    ['a number beyond 64 bits', 'PATCH', '/zones/{zone}', '{"changeVersion": 92233720368547758079}'],
    ['a path that is not a uuid', 'GET', '/zones/x%27%20OR%201=1', undefined],
    ['a path that is not UTF-8', 'GET', '/zones/%ff', undefined],
    ['a page beyond all numbers', 'GET', '/zones?page=99999999999999999999', undefined],
    ['a version beyond all numbers', 'GET', '/drs?filters=name:taken-name,version:99999999999999999999', undefined],
    ['a NUL character in a filter', 'GET', '/zones?filters=name:%00', undefined],
  ])('answers %s without an internal error', async (_, method, path, text) => {
    const answer = await doors.admin.call(`/api${fill(path)}`, {
      method,
      ...(text === undefined ? {} : { headers: { 'content-type': 'application/json' }, text }),
    });
    expect({ status: answer.status < 500, text: answer.text }).toEqual({ status: true, text: answer.text });
    expectNoInternals(answer);
    requireStatus(await doors.admin.rest('GET', '/zones'), 200);
  });

  it.each([
    ['GET', '/drs?filters=name:%00', undefined],
    ['GET', '/drs?filters=name:taken-name,dr-key:id=%00', undefined],
    ['POST', '/drs', '{"name": "a\\u0000b", "json": {}}'],
    ['POST', '/drs', '{"name": "taken-name", "json": {"id": "a\\u0000b"}}'],
    ['POST', '/zones/{root}/adaptors', '{"name": "a\\u0000b"}'],
    ['POST', '/domains', '{"name": "domain", "description": "a\\u0000b"}'],
  ])('answers a NUL character in %s %s without an internal error', async (method, path, text) => {
    const answer = await doors.dgs.call(`/api${fill(path)}`, {
      method,
      ...(text === undefined ? {} : { headers: { 'content-type': 'application/json' }, text }),
    });
    expect({ refused: answer.status < 500, text: answer.text }).toEqual({ refused: true, text: answer.text });
  });

  it.each([
    ['half a surrogate pair', '{"name": "a\\ud800b"}', 'VALIDATION_FAILED'],
    ['bytes that are not UTF-8', Buffer.from('{"name": "a\u00ffb"}', 'latin1'), 'MALFORMED_JSON'],
  ])('refuses %s instead of changing the text', async (_, text, code) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await doors.dgs.call(`/api/zones/${doors.root}/adaptors`, { method: 'POST', headers, text });
    expectProblem(answer, { status: 400, code });
  });

  it('refuses a stale changeVersion and returns the current one', async () => {
    const { admin, root } = doors;
    const zone = await admin.rest('POST', '/zones', { name: uniqueName('Zone'), parentZoneUuid: root });
    const path = `/zones/${zone.body.uuid}`;
    expect(zone.body.changeVersion).toBe(1);
    const patched = await admin.rest('PATCH', path, { changeVersion: 1, description: 'first' });
    expect(patched).toMatchObject({ status: 200, body: { changeVersion: 2 } });
    for (const changeVersion of [1, 3]) {
      const answer = await admin.rest<unknown>('PATCH', path, { changeVersion, description: 'late' });
      expectProblem(answer, conflict('STALE_CHANGE_VERSION'));
      expect(answer.body).toMatchObject({ currentChangeVersion: 2 });
    }
    expect((await admin.rest('GET', path)).body).toMatchObject({ description: 'first', changeVersion: 2 });
  });

  // follows the conventions of the catalogue issue
  it('accepts If-Match instead of the changeVersion, and answers a stale one with 412', async () => {
    const { admin, root } = doors;
    const zone = await admin.rest('POST', '/zones', { name: uniqueName('Zone'), parentZoneUuid: root });
    const path = `/zones/${zone.body.uuid}`;
    const etag = String((await admin.rest('GET', path)).headers['etag']);
    const patch = (description: string) =>
      admin.call(`/api${path}`, { method: 'PATCH', headers: { 'if-match': etag }, json: { description } });
    expect(await patch('first')).toMatchObject({ status: 200, body: { description: 'first', changeVersion: 2 } });
    expectProblem(await patch('late'), { status: 412, code: 'PRECONDITION_FAILED' });
  });

  it('deletes nothing that is in use', async () => {
    const { admin, dgs, root } = doors;
    const parent = await admin.rest('POST', '/zones', { name: uniqueName('Zone'), parentZoneUuid: root });
    const child = await admin.rest('POST', `/zones/${parent.body.uuid}/child-zones`, { name: 'Child' });
    expectProblem(await admin.rest('DELETE', `/zones/${parent.body.uuid}`), conflict('IN_USE'));
    const json = { name: uniqueName('domain'), zoneUuid: child.body.uuid };
    requireStatus(await admin.rest('POST', '/domains', json), 201);
    expectProblem(await admin.rest('DELETE', `/zones/${child.body.uuid}`), conflict('IN_USE'));

    const type = await dgs.rest('POST', '/adaptor-types', { name: uniqueName('Type') });
    const adaptor = { name: uniqueName('Adaptor'), adaptorTypeUuid: type.body.uuid };
    requireStatus(await dgs.rest('POST', `/zones/${root}/adaptors`, adaptor), 201);
    expectProblem(await dgs.rest('DELETE', `/adaptor-types/${type.body.uuid}`), conflict('IN_USE'));
  });

  it('moves no zone below itself', async () => {
    const { admin, root } = doors;
    const parent = await admin.rest('POST', '/zones', { name: uniqueName('Zone'), parentZoneUuid: root });
    const child = await admin.rest('POST', `/zones/${parent.body.uuid}/child-zones`, { name: 'Child' });
    const move = { changeVersion: 1, parentZoneUuid: child.body.uuid };
    const answer = await admin.rest('PATCH', `/zones/${parent.body.uuid}`, move);
    expectProblem(answer, conflict('CONFLICT'));
  });

  it('accepts one of two simultaneous changes, and one of many equal names', async () => {
    const { admin, dgs, root } = doors;
    const { uuid } = (await admin.rest('POST', '/zones', { name: uniqueName('Zone'), parentZoneUuid: root })).body;
    const changes = Array.from({ length: 8 }, (_, n) => ({ changeVersion: 1, description: `change ${n}` }));
    const zone = { name: uniqueName('Zone'), parentZoneUuid: root };
    const name = uniqueName('at-once_');
    const spellings = [name, name.toUpperCase(), name.replace('-', '_'), name.replace('_', '-')];
    for (const [answers, created, code] of [
      [
        await Promise.all(changes.map((json) => admin.rest<unknown>('PATCH', `/zones/${uuid}`, json))),
        200,
        'STALE_CHANGE_VERSION',
      ],
      [await Promise.all(changes.map(() => admin.rest<unknown>('POST', '/zones', zone))), 201, 'DUPLICATE_NAME'],
      [
        await Promise.all(spellings.map((spelling) => dgs.rest<unknown>('POST', '/domains', { name: spelling }))),
        201,
        'DUPLICATE_NAME',
      ],
    ] as const) {
      const lost = answers.filter(({ status }) => status !== created);
      expect(lost).toHaveLength(answers.length - 1);
      for (const answer of lost) expectProblem(answer, conflict(code));
    }
  });

  it('keeps names of siblings distinct when a zone is renamed or moved', async () => {
    const { admin, root } = doors;
    const zones: Resource[] = [];
    for (const name of ['One', 'Two']) {
      const json = { name: uniqueName(name), parentZoneUuid: root };
      zones.push(requireStatus(await admin.rest('POST', '/zones', json), 201).body);
    }
    const [one, two] = zones as [Resource, Resource];
    const renamed = await admin.rest<unknown>('PATCH', `/zones/${two.uuid}`, { changeVersion: 1, name: one.name });
    expectProblem(renamed, conflict('DUPLICATE_NAME'));
    const below = await admin.rest('POST', `/zones/${one.uuid}/child-zones`, { name: two.name });
    const move = { changeVersion: 1, parentZoneUuid: root };
    const moved = await admin.rest<unknown>('PATCH', `/zones/${requireStatus(below, 201).body.uuid}`, move);
    expectProblem(moved, conflict('DUPLICATE_NAME'));
  });

  it('repeats the answer to an Idempotency-Key, and refuses another body with it', async () => {
    const { admin, root } = doors;
    const send = (json: unknown) =>
      admin.call<Resource>('/api/zones', { method: 'POST', headers: { 'idempotency-key': 'the-key' }, json });
    const json = { name: uniqueName('Zone'), parentZoneUuid: root };
    const [first, second] = [await send(json), await send(json)];
    expect(first.status).toBe(201);
    expect([second.status, second.body, second.headers['location']]).toEqual([
      201,
      first.body,
      first.headers['location'],
    ]);
    const { body } = await admin.rest<{ zones: Resource[] }>('GET', `/zones?filters=name:${json.name}`);
    expect(body.zones).toHaveLength(1);
    expectProblem(await send({ ...json, description: 'other' }), conflict('IDEMPOTENCY_KEY_REUSED'));
  });

  it('returns X-Request-Id, creates one if the request has none, and links the page of the error code', async () => {
    const { admin } = doors;
    const echoed = await admin.call('/api/nowhere', { headers: { 'x-request-id': 'request-of-mine-1' } });
    const { requestId, type } = expectProblem(echoed, notFound);
    expect(requestId).toBe('request-of-mine-1');
    const ids = [await admin.rest('GET', '/zones'), await admin.rest('GET', '/nowhere')].map(
      ({ headers }) => headers['x-request-id'],
    );
    expect(ids).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)]);
    expect(ids[0]).not.toBe(ids[1]);
    const page = new URL(type, doors.service.baseUrl);
    const answer = requireStatus(await doors.anyone.call(`${page.pathname}${page.search}`), 200);
    expect(answer.text).toContain('NOT_FOUND');
  });
});
