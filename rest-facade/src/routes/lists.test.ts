import { describe, expect, it } from '@jest/globals';
import { AppError } from '@fds/errors';
import type { JsonObject } from '@fds/json';
import { ask, recording } from '../testing/ask.js';
import { baseUrl, type RootFields } from '../testing/open-facade.js';
import { zone, version, uuid, other, pageOf } from '../testing/samples.js';

describe('lists', () => {
  it('contain collection, links and page, and pass on every parameter', async () => {
    const args: unknown[] = [];
    const fields: RootFields = {
      zones: (given) => {
        args.push(given);
        return { data: [zone], page: pageOf(given, 25) };
      },
    };
    const url = '/api/zones?filters=name:%22a,b%22,active:true&size=10&page=1&sort=-name&fields=name';
    const { json: body } = await ask(fields, { url });
    expect(args).toEqual([{ zoneName: 'a,b', active: true, page: 1, size: 10, sort: '-name' }]);
    const rest = 'filters=name:%22a,b%22,active:true&size=10&sort=-name&fields=name';
    expect(body).toEqual({
      zones: [{ name: 'Root' }],
      _links: {
        self: `${baseUrl}${url}`,
        first: `${baseUrl}/api/zones?${rest}&page=0`,
        last: `${baseUrl}/api/zones?${rest}&page=2`,
        next: `${baseUrl}/api/zones?${rest}&page=2`,
        prev: `${baseUrl}/api/zones?${rest}&page=0`,
      },
      _page: { page: 1, size: 10, totalElements: 25, totalPages: 3 },
    });
  });

  it.each([
    ['', 0],
    ['?filters=version:0', 0],
    ['?filters=version:7', 7],
    ['?size=50', undefined],
  ])('for versions of a domain with the query string "%s" request version %p', async (query, versionNumber) => {
    const args: { versionNumber?: number }[] = [];
    const fields: RootFields = {
      versionsOfDomain: (given) => {
        args.push(given);
        return { data: [version], page: pageOf(given, 1) };
      },
    };
    const { status } = await ask(fields, { url: `/api/domains/${uuid}/versions${query}` });
    expect([status, args[0]?.versionNumber]).toEqual([200, versionNumber]);
  });

  it('for versions of an unknown domain are 404', async () => {
    const fields: RootFields = {
      versionsOfDomain: () => {
        throw new AppError('NOT_FOUND', 'no such domain');
      },
    };
    expect((await ask(fields, { url: `/api/domains/${uuid}/versions` })).status).toBe(404);
  });

  it('refuse every bad parameter at once', async () => {
    const url = `/api/zones?page=-1&size=1001&filters=colour:red,active:maybe,name:a,name:b&sort=size&fields=nope&x=1`;
    const { status, json: body } = await ask({}, { url });
    expect([status, body['code']]).toEqual([400, 'INVALID_PARAMETER']);
    expect((body['errors'] as JsonObject[]).map(({ pointer, code }) => [pointer, code])).toEqual([
      ['page', 'OUT_OF_RANGE'],
      ['size', 'OUT_OF_RANGE'],
      ['filters', 'UNKNOWN_FILTER'],
      ['filters.active', 'WRONG_VALUE'],
      ['filters', 'DUPLICATE'],
      ['sort', 'UNKNOWN_SORT'],
      ['fields', 'UNKNOWN_FIELD'],
      ['x', 'UNKNOWN_PARAMETER'],
    ]);
    expect(body['detail']).toContain('allowed: name, zone-uuid, parent-zone-uuid, active');
  });

  it('for data records accept uuids, a key, a search expression and any sort', async () => {
    const { args, fields } = recording('dataRecords', { data: [], page: pageOf({ size: 10 }, 0) });
    const url = `/api/drs?filters=name:person,version:2,dr-uuids:${uuid}:${other},dr-key:id=%22a:b%22,exclude-adaptors:true&query=id:1&sort=-id`;
    const { json: body } = await ask(fields, { url });
    expect(args).toEqual([
      {
        domainName: 'person',
        versionNumber: 2,
        drUuids: [uuid, other],
        drKey: 'id=a:b',
        excludeAdaptors: true,
        query: 'id:1',
        sort: '-id',
        page: 0,
        size: 10,
      },
    ]);
    expect(body['_page']).toEqual({ page: 0, size: 10, totalElements: 0, totalPages: 0 });
  });

  it('for data records refuse an empty search, order and name, all at once', async () => {
    const { args, fields } = recording('dataRecords', { data: [], page: pageOf({ size: 10 }, 0) });
    const { status, json: body } = await ask(fields, { url: '/api/drs?filters=name:&query=%20&sort=' });
    const causes = body['errors'] as { pointer: string }[];
    expect([status, causes.map(({ pointer }) => pointer).toSorted()]).toEqual([400, ['filters.name', 'query', 'sort']]);
    expect(args).toHaveLength(1);
  });

  const refusing = (...causes: string[]): RootFields => ({
    dataRecords: () => {
      throw new AppError('INVALID_QUERY', 'no', {
        details: { position: 3 },
        errors: causes.map((pointer) => ({ pointer, code: 'WRONG', detail: `${pointer} is wrong` })),
      });
    },
  });

  it('report faults of a search expression together with faults of parameters', async () => {
    const { status, json: body } = await ask(refusing('query', 'drKey'), { url: '/api/drs?size=0&query=id:(' });
    expect([status, body['code'], body['position']]).toEqual([400, 'INVALID_PARAMETER', 3]);
    expect((body['errors'] as JsonObject[]).map(({ pointer }) => pointer)).toEqual(['size', 'query', 'filters.dr-key']);
  });

  it("use the caller's names of parameters in faults", async () => {
    const { json: body } = await ask(refusing('drKey', 'versionNumber', 'query'), { url: '/api/drs?query=id:(' });
    expect((body['errors'] as JsonObject[]).map(({ pointer }) => pointer)).toEqual([
      'filters.dr-key',
      'filters.version',
      'query',
    ]);
  });
});
