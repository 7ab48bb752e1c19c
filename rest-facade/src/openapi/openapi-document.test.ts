import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { loadStaticSchema } from '../testing/static-schema.js';
import { findBareObjects, valueAt } from '../testing/find-bare-objects.js';
import { describeApi } from './describe-api.js';
import { readRoutes } from './read-routes.js';
import { openapiDocument } from './openapi-document.js';
import { renderEndpointsPage } from './render-endpoints-page.js';

const schema = loadStaticSchema();
const { endpoints, registry } = describeApi(readRoutes(schema), { assemblyUrl: 'http://localhost:8082' });
const document = JSON.parse(JSON.stringify(openapiDocument(endpoints, registry, 'http://localhost:8080'))) as {
  paths: Record<string, Record<string, unknown>>;
  components: Record<'schemas' | 'headers' | 'responses', Record<string, unknown>>;
  tags: { name: string; description?: string }[];
};

const referencesIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? [member] : referencesIn(member),
  );
};

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  it('has no reference without a target', () => {
    const known = new Set(
      Object.entries(document.components).flatMap(([kind, named]) =>
        Object.keys(named).map((name) => `#/components/${kind}/${name}`),
      ),
    );
    expect(referencesIn(document).filter((reference) => !known.has(reference))).toEqual([]);
  });

  it('has no object without members, which a generated client could not read', () => {
    expect(findBareObjects(document)).toEqual([]);
    // proves that findBareObjects finds bare objects
    expect(
      findBareObjects({ schema: { type: ['object', 'null'] }, items: [{ type: 'object', properties: {} }] }),
    ).toEqual(['/schema', '/items/0']);
  });

  it('has the defaults and bounds of parameters', () => {
    const sizeAt = (path: string) => {
      const { parameters = [] } = (document.paths[path]?.['get'] ?? {}) as {
        parameters?: { name: string; schema: object }[];
      };
      return parameters.find(({ name }) => name === 'size')?.schema;
    };
    const bounds = { type: 'integer', format: 'int32', minimum: 1, maximum: 1000 };
    expect(sizeAt('/drs')).toEqual({ ...bounds, default: 10 });
    for (const path of ['/issues/counts', '/zones/{zoneUuid}/issues/counts'])
      expect([path, sizeAt(path)]).toEqual([path, { ...bounds, default: 50 }]);
    for (const path of ['/change-log', '/zones/{zoneUuid}/change-log'])
      expect([path, sizeAt(path)]).toEqual([path, { ...bounds, default: 100 }]);
    expect(document.paths['/issues/counts']?.['get']).toMatchObject({
      parameters: expect.arrayContaining([
        expect.objectContaining({
          name: 'by',
          schema: expect.objectContaining({ default: ['ADAPTOR', 'DOMAIN_VERSION', 'CAUSE', 'CODE', 'PROPERTY'] }),
        }),
      ]),
    });
  });

  it('gives types to the rows of a bulk import and to the comparisons of records', () => {
    const body = '/requestBody/content/application~1json/schema/items';
    expect(valueAt(document.paths['/drs/bulk']?.['post'], body)).toMatchObject({ additionalProperties: true });
    expect(document.components.schemas['DataIssueMatch']).toMatchObject({
      properties: { comparisons: { items: { $ref: '#/components/schemas/Comparison' } } },
    });
  });

  it('describes conditions and idempotency keys for the routes that accept them', () => {
    const told = (path: string, method: string): string[] => {
      const operation = document.paths[path]?.[method] ?? {};
      const { parameters = [], responses = {} } = operation as {
        parameters?: { name: string; in: string }[];
        responses?: Record<string, { headers?: object }>;
      };
      const sent = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
      const answered = Object.entries(responses).flatMap(([status, { headers = {} }]) =>
        Object.keys(headers)
          .filter((name) => !['X-Request-Id', 'RateLimit', 'RateLimit-Policy'].includes(name))
          .map((name) => `${status} ${name}`),
      );
      return [...sent, ...answered];
    };
    expect(told('/zones', 'get')).toEqual([]);
    expect(told('/zones', 'post')).toEqual(['Idempotency-Key', '201 ETag', '201 Location', '201 Idempotency-Replayed']);
    expect(told('/zones/{zoneUuid}', 'get')).toEqual(['If-None-Match', '200 ETag', '304 ETag']);
    expect(told('/zones/{zoneUuid}', 'patch')).toEqual(['If-Match', '200 ETag']);
    expect(told('/zones/{zoneUuid}', 'delete')).toEqual(['If-Match']);
    expect(told('/zones/{zoneUuid}/adaptors/{adaptorUuid}/registration', 'get')).toEqual([]);
  });

  it('describes every group of endpoints', () => {
    expect(document.tags.filter(({ description }) => description === undefined)).toEqual([]);
  });

  it('lists the refusals of each endpoint', () => {
    const refusalsOf = (path: string, method: string): string[] => {
      const { responses = {} } = (document.paths[path]?.[method] ?? {}) as { responses?: object };
      return Object.keys(responses).filter((status) => Number(status) >= 400);
    };
    expect(refusalsOf('/zones', 'get')).toEqual(['400', '401', '403', '406', '429']);
    expect(refusalsOf('/openapi.json', 'get')).toEqual(['400', '401', '404', '406', '429']);
    expect(refusalsOf('/zones/{zoneUuid}', 'get')).toContain('404');
    expect(refusalsOf('/zones/{zoneUuid}', 'patch')).toEqual(
      expect.arrayContaining(['404', '409', '412', '413', '415']),
    );
  });

  it('lists the keys of parameters with the schemas of their values', () => {
    expect(document.paths['/zones']?.['get']).toMatchObject({
      parameters: expect.arrayContaining([
        expect.objectContaining({
          name: 'filters',
          'x-keys': expect.objectContaining({
            'zone-uuid': { type: 'string', format: 'uuid' },
            active: { type: 'boolean' },
          }),
        }),
        expect.objectContaining({ name: 'sort', 'x-keys': expect.objectContaining({ name: {} }) }),
      ]),
    });
  });

  it('has every endpoint', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods));
    expect(operations).toHaveLength(endpoints.length);
  });

  it('describes times as integers, unknown JSON as anything, and nullable members as nullable', () => {
    expect(document.components.schemas['Zone']).toMatchObject({
      type: 'object',
      properties: {
        uuid: { type: 'string', format: 'uuid' },
        dateCreated: { type: 'integer', format: 'int64' },
        description: { type: ['string', 'null'] },
        changeVersion: { type: 'integer', format: 'int64' },
      },
      required: expect.arrayContaining(['uuid', 'description']),
    });
  });
});

describe('the page of endpoints', () => {
  it('has a row for every endpoint', () => {
    const page = renderEndpointsPage(schema);
    for (const { declaration, serverUrl } of endpoints) {
      if (serverUrl !== undefined) continue;
      expect(page).toContain(`| ${declaration.method} | \`${declaration.path}\` | ${declaration.summary} |`);
    }
  });
});
