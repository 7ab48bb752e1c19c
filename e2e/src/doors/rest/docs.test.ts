import { describe, expect, it } from '@jest/globals';
import { createVersion, requireStatus } from '../../harness/catalogue.js';
import { exchange } from '../../harness/exchange.js';
import { expectLocalPage } from '../expect-local-page.js';
import { shareDoors } from '../set-up-doors.js';

interface Endpoints {
  readonly endpoints: readonly {
    readonly method: string;
    readonly path: string;
    readonly summary: string;
  }[];
}

interface OpenApi {
  readonly openapi: string;
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses?: object; readonly servers?: readonly { readonly url: string }[] }>>
    >
  >;
}

describe('the documents that the service serves', () => {
  const { doors } = shareDoors();

  it('show the REST interface without another host', async () => {
    await expectLocalPage(doors.anyone, '/docs', { accept: 'text/html' }, [doors.service.assemblyUrl]);
  });

  it('have a page of error codes', async () => {
    const answer = requireStatus(await doors.anyone.call('/docs/errors', { headers: { accept: 'text/html' } }), 200);
    expect(answer.headers['content-type']).toMatch(/^text\/html\b/);
    for (const code of ['STALE_CHANGE_VERSION', 'CHANGE_VERSION_REQUIRED', 'UNAUTHENTICATED', 'DUPLICATE_DR_KEY'])
      expect(answer.text).toContain(code);
  });

  const openApi = async (): Promise<OpenApi> => {
    const answer = await doors.dgs.call<OpenApi>('/api/openapi.json');
    return requireStatus(answer, 200).body;
  };

  it('are OpenAPI 3.1, for every signed-in caller', async () => {
    const { openapi, paths } = await openApi();
    expect(openapi).toMatch(/^3\.1\./);
    for (const [path, operations] of Object.entries(paths))
      for (const [method, operation] of Object.entries(operations)) {
        if (method === 'parameters' || method === 'summary') continue;
        expect({ path, method, responses: Object.keys(operation.responses ?? {}).length > 0 }).toEqual({
          path,
          method,
          responses: true,
        });
      }
  });

  it('have the OpenAPI document at the root too, with its parameters', async () => {
    const { status, headers } = await doors.anyone.call('/openapi.json?domains=person');
    expect([status, headers['location']]).toEqual([308, '/api/openapi.json?domains=person']);
  });

  it('document the same page size as the lists have', async () => {
    const { paths } = await openApi();
    await createVersion(doors.dgs, {
      name: 'paged',
      domainType: 'FEDERATED',
      properties: { id: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const needed: Readonly<Record<string, string>> = { '/drs': '?filters=name:paged' };
    const sizes = new Map<number, number>();
    for (const [path, { get }] of Object.entries(paths)) {
      const list = path.replace(/^\/api/, '');
      const { parameters = [] } = (get ?? {}) as { parameters?: { name?: string; schema?: { default?: number } }[] };
      const size = parameters.find(({ name }) => name === 'size');
      // a list with a cursor has no pages
      const isPaged = parameters.some(({ name }) => name === 'page');
      if (size === undefined || !isPaged || list.includes('{')) continue;
      const reader = list === '/processes' ? doors.admin : doors.dgs;
      const { body } = await reader.rest<{ _page: { size: number } }>('GET', `${list}${needed[list] ?? ''}`);
      expect({ list, size: size.schema?.default }).toEqual({ list, size: body._page.size });
      sizes.set(body._page.size, (sizes.get(body._page.size) ?? 0) + 1);
    }
    expect(sizes.get(10)).toBe(1);
    expect(sizes.get(50)).toBeGreaterThan(3);
  });

  it('show the request to the assembly service, with its real address', async () => {
    const { paths } = await openApi();
    expect(paths['/request']?.['post']?.servers).toEqual([{ url: doors.service.assemblyUrl }]);
  });

  it('allow a page of the server to call the assembly service', async () => {
    const { baseUrl, assemblyUrl } = doors.service;
    const page = await doors.anyone.call('/docs', { headers: { accept: 'text/html' } });
    expect(page.headers['content-security-policy']).toMatch(new RegExp(`connect-src [^;]*${assemblyUrl}`));
    const origin = new URL(baseUrl).origin;
    const asked = { origin, 'access-control-request-method': 'POST' };
    const headers = { ...asked, 'access-control-request-headers': 'authorization,content-type' };
    const preflight = await exchange(`${assemblyUrl}/request`, { method: 'OPTIONS', headers });
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, origin]);
    expect(String(preflight.headers['access-control-allow-headers']).toLowerCase()).toContain('authorization');
    const sent = { method: 'POST', token: doors.dgs.token ?? '', json: { domain: 'nowhere', zoneUuid: doors.root } };
    const answer = await exchange(`${assemblyUrl}/request`, { ...sent, headers: { origin } });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([404, origin]);
    expect(answer.headers['access-control-expose-headers']).toContain('X-Request-Id');
    const foreign = await exchange(`${assemblyUrl}/request`, {
      ...sent,
      headers: { origin: 'http://elsewhere.example' },
    });
    expect(foreign.headers['access-control-allow-origin']).not.toBe('http://elsewhere.example');
  });

  it('contain every endpoint, and no other', async () => {
    const { paths } = await openApi();
    const { body } = requireStatus(await doors.dgs.rest<Endpoints>('GET', '/endpoints'), 200);
    const methods = new Set(['get', 'put', 'post', 'patch', 'delete']);
    const documented = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([method, { servers }]) => methods.has(method) && servers === undefined)
        .map(([method]) => method)
        .map((method) => `${method.toUpperCase()} ${path.replace(/^\/api/, '')}`),
    );
    const listed = body.endpoints.map(({ method, path }) => `${method} ${path.replace(/^\/api/, '')}`);
    expect(listed.length).toBeGreaterThan(30);
    expect(new Set(documented)).toEqual(new Set(listed));
    for (const { summary } of body.endpoints) expect(summary).toMatch(/\w/);
  });

  it('name the functions of the foundation', async () => {
    const { body } = await doors.dgs.rest<Endpoints>('GET', '/endpoints');
    const listed = new Set(
      body.endpoints.map(({ method, path }) => `${method} ${path.replace(/^\/api/, '').replaceAll(/\{\w+\}/g, '{}')}`),
    );
    const version = ['GET', 'PUT', 'PATCH'];
    const offered = [
      ...['GET', 'POST'].flatMap((method) => [
        `${method} /zones`,
        `${method} /zones/{}/child-zones`,
        `${method} /adaptor-types`,
        `${method} /zones/{}/adaptors`,
        `${method} /domains`,
        `${method} /domains/{}/versions`,
        `${method} /drs`,
        `${method} /zones/{}/adaptors/{}/registration`,
      ]),
      ...['GET', 'PUT', 'PATCH', 'DELETE'].flatMap((method) => [
        `${method} /zones/{}`,
        `${method} /adaptor-types/{}`,
        `${method} /zones/{}/adaptors/{}`,
      ]),
      ...version.flatMap((method) => [
        `${method} /domains/{}`,
        `${method} /domains/{}/versions/{}`,
        `${method} /domains/versions/{}`,
      ]),
      'GET /domains/versions',
      'GET /domains/{}/versions/{}/properties',
      'GET /domains/versions/{}/properties',
      'GET /domains/versions/{}/properties/{}',
      'PATCH /domains/versions/{}/properties/{}',
      'GET /drs/{}',
      'GET /token',
      'GET /endpoints',
      'GET /graphql-schema',
    ];
    expect(offered.filter((endpoint) => !listed.has(endpoint))).toEqual([]);
  });
});
