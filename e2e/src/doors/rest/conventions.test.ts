import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { requireStatus } from '../../harness/catalogue.js';
import { expectProblem } from '../expect-problem.js';
import type { Resource } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';
import { nobody, uniqueName } from '../unique-name.js';

/** The answer to bytes that may not be HTTP. The server closes the connection. */
const exchangeBytes = (port: number, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (answer += chunk));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });

describe('the conventions of REST', () => {
  const { doors } = setUpDoors();

  const createZone = async (): Promise<Resource> => {
    const zone = { name: uniqueName('Zone'), parentZoneUuid: doors.root };
    return requireStatus(await doors.admin.rest('POST', '/zones', zone), 201).body;
  };

  describe('a request to an unknown endpoint', () => {
    it.each(['/nothing', '/api', '/docs/nothing', '/health/nothing', '/.well-known/nothing', '/openid'])(
      'gets a problem at %s',
      async (path) => {
        expectProblem(await doors.anyone.call(path), { status: 404, code: 'NOT_FOUND' });
      },
    );

    it.each([
      ['/%zz', 400, 'INVALID_PARAMETER'],
      ['/api/zones?filters=name:%zz', 400, 'INVALID_PARAMETER'],
      ['/api/zones?page=0&page=1', 400, 'INVALID_PARAMETER'],
      [`/api/zones?query=${'x'.repeat(20_000)}`, 431, 'HEADERS_TOO_LARGE'],
    ])('gets a problem: %#', async (path, status, code) => {
      expectProblem(await doors.admin.call(path), { status, code });
    });

    it.each([
      ['no HTTP', 'HELLO\r\n\r\n', 400, 'MALFORMED_REQUEST'],
      ['long headers', `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ])('gets a problem when it is %s', async (_, bytes, status, code) => {
      const answer = await exchangeBytes(Number(new URL(doors.service.baseUrl).port), bytes);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer).toMatch(/^content-type: application\/problem\+json/im);
      expect(answer).toMatch(/^x-request-id: \S+/im);
      expect(answer).toContain(`"code":"${code}"`);
    });
  });

  it.each(['/health', '/health/live', '/docs/errors', '/oauth2/jwks', '/api/openapi.json', '/nothing'])(
    'gives every answer a request id: %s',
    async (path) => {
      const echoed = await doors.anyone.call(path, { headers: { 'x-request-id': 'of-mine' } });
      const { headers } = await doors.anyone.call(path);
      expect([echoed.headers['x-request-id'], headers['x-request-id']]).toEqual([
        'of-mine',
        expect.stringMatching(/^[\w-]{8,}$/),
      ]);
    },
  );

  it('accepts compressed bodies, and refuses bodies that it cannot decompress', async () => {
    const send = (text: Uint8Array, encoding: string) =>
      doors.admin.call('/api/zones', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-encoding': encoding },
        text,
      });
    const zone = JSON.stringify({ name: uniqueName('Zone'), parentZoneUuid: doors.root });
    expect(requireStatus(await send(gzipSync(zone), 'gzip'), 201).body).toHaveProperty('changeVersion', 1);
    expectProblem(await send(Buffer.from(zone), 'zstd'), { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' });
    const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));
    expectProblem(await send(bomb, 'gzip'), { status: 413, code: 'PAYLOAD_TOO_LARGE' });
  });

  it('reports causes of every part of a request at once', async () => {
    const { dgs, root } = doors;
    const domain = requireStatus(await dgs.rest('POST', '/domains', { name: uniqueName('causes') }), 201).body;
    const version = await dgs.rest<unknown>('POST', `/domains/${domain.uuid}/versions?validate-only=maybe`, {
      modelSchema: { properties: { id: { type: 'string', minLength: 'x' } } },
      drKeyProperties: ['id', 5],
      description: 5,
    });
    expectProblem(version, {
      status: 400,
      code: 'VALIDATION_FAILED',
      pointers: ['validate-only', '/drKeyProperties/1', '/description', '/modelSchema/properties/id/minLength'],
    });
    const entries = [{ get: 'MAYBE' }, { name: 'n'.repeat(129), sourceAdaptorUuid: nobody }];
    const acls = await dgs.rest<unknown>('POST', `/zones/${root}/outbound-acls?position=99`, entries);
    expectProblem(acls, {
      status: 400,
      code: 'VALIDATION_FAILED',
      pointers: ['position', '/0/get', '/1/name', '/1/sourceAdaptorUuid'],
    });
    const patch = await dgs.rest<unknown>('PATCH', `/domains/${domain.uuid}`, { name: '1st', domainType: 'FLAT' });
    expectProblem(patch, {
      status: 400,
      code: 'VALIDATION_FAILED',
      pointers: ['/changeVersion', '/name', '/domainType'],
    });
    expect((await dgs.rest('GET', `/domains/${domain.uuid}`)).body).toMatchObject({
      changeVersion: 1,
      versionCount: 0,
    });
    expect((await dgs.rest<{ outboundAcls: [] }>('GET', `/zones/${root}/outbound-acls`)).body.outboundAcls).toEqual([]);
  });

  it('sorts lists that have a fixed order by default', async () => {
    const { admin, dgs, root } = doors;
    const zone = (await createZone()).uuid;
    const entries = ['b', 'c', 'a'].map((name) => ({ name, get: 'DENY' }));
    requireStatus(await admin.rest('POST', `/zones/${zone}/inbound-acls`, entries), 201);
    const namesOf = async (query: string) =>
      (await admin.rest<{ inboundAcls: Resource[] }>('GET', `/zones/${zone}/inbound-acls?${query}`)).body.inboundAcls
        .map(({ name }) => name)
        .join('');
    expect([await namesOf(''), await namesOf('sort=name'), await namesOf('sort=-name&size=1&page=1')]).toEqual([
      'bca',
      'abc',
      'b',
    ]);
    const unknown = await dgs.rest<unknown>('GET', `/zones/${root}/inbound-acls?sort=colour`);
    expectProblem(unknown, { status: 400, code: 'INVALID_PARAMETER', pointers: ['sort'] });
  });

  it('answers an unchanged resource with 304, and a changed one with 200', async () => {
    const { admin, dgs, root } = doors;
    const zone = await createZone();
    const adaptor = requireStatus(
      await dgs.rest('POST', `/zones/${root}/adaptors`, { name: uniqueName('A') }),
      201,
    ).body;
    for (const [door, path, change] of [
      [admin, `/api/zones/${zone.uuid}`, { description: 'other' }],
      [dgs, `/api/zones/${root}/adaptors/${adaptor.uuid}`, { state: 'PAUSE' }],
    ] as const) {
      const etag = String(requireStatus(await door.call(path), 200).headers['etag']);
      const again = await door.call(path, { headers: { 'if-none-match': `"0", W/${etag}` } });
      expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', etag]);
      requireStatus(await door.call(path, { method: 'PATCH', headers: { 'if-match': etag }, json: change }), 200);
      expect((await door.call(path, { headers: { 'if-none-match': etag } })).status).toBe(200);
    }
  });

  it('deletes only the version that If-Match names', async () => {
    const { admin } = doors;
    const { uuid } = await createZone();
    const remove = (tags: string) =>
      admin.call(`/api/zones/${uuid}`, { method: 'DELETE', headers: { 'if-match': tags } });
    expectProblem(await remove('"2"'), { status: 412, code: 'PRECONDITION_FAILED' });
    expect((await remove('"1"')).status).toBe(204);
    expectProblem(await remove('"1"'), { status: 404, code: 'NOT_FOUND' });
  });

  it('creates once for many requests with the same key, and gives all of them the same answer', async () => {
    const { dgs, root } = doors;
    const json = { name: uniqueName('Once') };
    const path = `/api/zones/${root}/adaptors`;
    const send = () => dgs.call<Resource>(path, { method: 'POST', headers: { 'idempotency-key': 'many' }, json });
    const answers = await Promise.all(Array.from({ length: 8 }, send));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.body['clientSecret']).toEqual(expect.any(String));
    const listed = await dgs.rest<{ adaptors: Resource[] }>('GET', `/zones/${root}/adaptors?filters=name:${json.name}`);
    expect(listed.body.adaptors).toHaveLength(1);
  });
});
