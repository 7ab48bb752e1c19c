import { describe, expect, it } from '@jest/globals';
import { AppError } from '@fds/errors';
import { ask, json } from '../testing/ask.js';
import type { RootFields } from '../testing/open-facade.js';
import { adaptor, other, uuid, zone } from '../testing/samples.js';

const path = `/api/zones/${uuid}`;
const adaptorPath = `${path}/adaptors/${other}`;

/** A zone whose version advances by the given number after each read. */
const zoneAt = (start: bigint, moves = 0): { readonly fields: RootFields; readonly given: unknown[] } => {
  const given: unknown[] = [];
  let [version, left] = [start, moves];
  const change = (asked: unknown): unknown => {
    given.push(asked);
    if (asked !== null && asked !== undefined && BigInt(asked as number) !== version) {
      const error = new AppError('STALE_CHANGE_VERSION', 'changed', { details: { currentChangeVersion: version } });
      if ((left -= 1) >= 0) version += 1n;
      throw error;
    }
    return { ...zone, changeVersion: version + 1n };
  };
  return {
    given,
    fields: {
      patchZone: ({ input }) => change((input as unknown as { changeVersion?: unknown }).changeVersion),
      deleteZone: ({ changeVersion }) => change(changeVersion) !== undefined,
      zone: () => ({ ...zone, changeVersion: version }),
    },
  };
};

describe('entity tags', () => {
  it('contain the changeVersion of read and changed resources', async () => {
    const read = await ask(zoneAt(5n).fields, { url: path });
    const changed = await ask(zoneAt(5n).fields, json('PATCH', path, '{"changeVersion":5}'));
    expect([read.headers['etag'], changed.headers['etag']]).toEqual(['"5"', '"6"']);
  });

  it('differ if the answer shows more than the changeVersion covers', async () => {
    const tagOf = async (state: string) =>
      String((await ask({ adaptor: () => ({ ...adaptor, state }) }, { url: adaptorPath })).headers['etag']);
    const [started, again, paused] = [await tagOf('STARTED'), await tagOf('STARTED'), await tagOf('PAUSED')];
    expect(started).toMatch(/^"3\.[\w-]+"$/);
    expect([again, paused === started]).toEqual([started, false]);
  });

  it('exist only for single resources that may be cached', async () => {
    const list = await ask(
      { zones: () => ({ data: [zone], page: { page: 0, size: 50, totalPages: 1, totalElements: 1 } }) },
      { url: '/api/zones' },
    );
    const registration = {
      uuid,
      zoneUuid: uuid,
      clientId: uuid,
      clientSecret: 's',
      messageBusUrl: 'tcp://x',
      messageBusUrls: [],
    };
    const secret = await ask({ adaptorRegistration: () => registration }, { url: `${adaptorPath}/registration` });
    expect([list.headers['etag'], secret.headers['etag']]).toEqual([undefined, undefined]);
    expect([list.headers['cache-control'], secret.headers['cache-control']]).toEqual(['private, no-cache', 'no-store']);
  });
});

describe('If-None-Match', () => {
  it.each([
    ['"5"', 304],
    ['W/"5"', 304],
    ['"4", "5"', 304],
    ['*', 304],
    ['"4"', 200],
  ])('%s answers %i', async (tags, status) => {
    const answer = await ask(zoneAt(5n).fields, { url: path, headers: { 'if-none-match': tags } });
    expect([answer.status, answer.headers['etag'], answer.text === '']).toEqual([status, '"5"', status === 304]);
  });

  it('is allowed only for reading', async () => {
    const request = json('PATCH', path, '{"changeVersion":5}');
    const answer = await ask(zoneAt(5n).fields, { ...request, headers: { ...request.headers, 'if-none-match': '*' } });
    expect([answer.status, answer.json['errors']]).toMatchObject([400, [{ pointer: 'If-None-Match' }]]);
  });
});

describe('If-Match', () => {
  const patch = (tags: string, body = '{"description":"d"}') => {
    const request = json('PATCH', path, body);
    return { ...request, headers: { ...request.headers, 'if-match': tags } };
  };

  it.each<[tags: string, body: string, status: number, given: unknown[]]>([
    ['"5"', '{}', 200, [5]],
    ['5', '{}', 200, [5]],
    ['"5.digest"', '{}', 200, [5]],
    ['"4"', '{}', 412, [4]],
    ['W/"5"', '{}', 412, [0]],
    ['"of-somebody-else"', '{}', 412, [0]],
    ['"3", "5"', '{}', 200, [3, 5]],
    ['"3", "4"', '{}', 412, [3]],
    ['*', '{}', 200, [0, 5]],
    ['*', '{"changeVersion":5}', 200, [5]],
    ['*', '{"changeVersion":4}', 409, [4]],
    ['"3", "5"', '{"changeVersion":5}', 200, [5]],
    ['"9223372036854775807"', '{}', 412, [9223372036854775807n]],
  ])('%s with %s answers %i', async (tags, body, status, given) => {
    const resource = zoneAt(5n);
    const answer = await ask(resource.fields, patch(tags, body));
    expect([answer.status, resource.given]).toEqual([status, given]);
    if (status === 412) expect(answer.json).toMatchObject({ code: 'PRECONDITION_FAILED', currentChangeVersion: 5 });
  });

  it('* repeats a change after concurrent changes, but not forever', async () => {
    expect((await ask(zoneAt(5n, 3).fields, patch('*'))).status).toBe(200);
    expect((await ask(zoneAt(5n, 100).fields, patch('*'))).status).toBe(412);
  });

  it.each([
    ['"4"', '{"changeVersion":5}', '/changeVersion'],
    ['five', '{}', 'If-Match'],
  ])('%s with %s is refused at %s', async (tags, body, pointer) => {
    const resource = zoneAt(5n);
    const answer = await ask(resource.fields, patch(tags, body));
    expect([answer.status, answer.json['errors']]).toMatchObject([400, [{ pointer }]]);
  });

  it.each([
    ['"5"', 204],
    ['*', 204],
    ['"4"', 412],
  ])('%s of a deletion answers %i', async (tags, status) => {
    const answer = await ask(zoneAt(5n).fields, { method: 'DELETE', url: path, headers: { 'if-match': tags } });
    expect(answer.status).toBe(status);
  });

  it.each([
    ['"5"', 200],
    ['"4"', 412],
    ['W/"5"', 412],
  ])('%s of a reading answers %i', async (tags, status) => {
    expect((await ask(zoneAt(5n).fields, { url: path, headers: { 'if-match': tags } })).status).toBe(status);
  });

  it('never matches a resource without changeVersion', async () => {
    const url = `/api/domains/versions/${uuid}/properties/${other}`;
    const property = { uuid: other, name: 'p', type: 'string', required: false, drKey: false, description: null };
    const send = async (tags: string) => {
      const request = json('PATCH', url, '{"description":null}');
      const fields: RootFields = { patchDomainVersionProperty: () => property };
      return (await ask(fields, { ...request, headers: { ...request.headers, 'if-match': tags } })).status;
    };
    expect([await send('"5"'), await send('*')]).toEqual([412, 200]);
  });
});
