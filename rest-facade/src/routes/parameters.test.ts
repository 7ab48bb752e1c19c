import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ErrorCause } from '@fds/errors';
import type { FastifyInstance } from 'fastify';
import { compilePath, placeholdersOf } from '../http/fill-path.js';
import { selectableOf } from '../route.js';
import { authorization, openFacade } from '../testing/open-facade.js';
import { uuid } from '../testing/samples.js';
import { routeTable } from './route-table.js';

const targetOf = (path: string): string =>
  `/api${compilePath(path)(Object.fromEntries(placeholdersOf(path).map((name) => [name, uuid])))}`;

describe('parameters of every route that reads', () => {
  let server: FastifyInstance;
  beforeAll(async () => {
    server = await openFacade({});
  });
  afterAll(() => server.close());

  const causesOf = async (url: string): Promise<string[]> => {
    const response = await server.inject({ url, headers: { authorization } });
    const { errors = [] } = response.json<{ errors?: ErrorCause[] }>();
    for (const { detail } of errors) expect(detail).toMatch(/allowed: ./);
    return [`${response.statusCode}`, ...errors.map(({ pointer, code }) => `${pointer} ${code}`)];
  };
  const routes = routeTable.filter(({ method }) => method === 'GET');

  it.each(routes.map((route) => [route.path, route] as const))('are refused by name at %s', async (path, route) => {
    const { query = {} } = route;
    const asked = [
      ['colour=red', 'colour UNKNOWN_PARAMETER'],
      ...(selectableOf(route) === 'fields'
        ? [['fields=nope,no.pe', 'fields UNKNOWN_FIELD', 'fields UNKNOWN_FIELD']]
        : []),
      ...(query.filters === undefined ? [] : [['filters=nope:1', 'filters UNKNOWN_FILTER']]),
      ...(query.options === undefined ? [] : [['options=nope:1', 'options UNKNOWN_OPTION']]),
      ...(Array.isArray(query.sort) ? [['sort=nope', 'sort UNKNOWN_SORT']] : []),
    ];
    const parameters = asked.map(([parameter]) => parameter).join('&');
    const expected = asked.flatMap(([, ...causes]) => causes);
    expect(await causesOf(`${targetOf(path)}?${parameters}`)).toEqual(['400', ...expected]);
  });
});
