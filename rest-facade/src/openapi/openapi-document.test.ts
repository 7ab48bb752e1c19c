import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { loadStaticSchema } from '../testing/static-schema.js';
import { describeApi } from './describe-api.js';
import { openapiDocument } from './openapi-document.js';
import { renderEndpointsPage } from './render-endpoints-page.js';

const schema = loadStaticSchema();
const { endpoints, registry } = describeApi(schema);
const document = JSON.parse(JSON.stringify(openapiDocument(endpoints, registry, 'http://localhost:8080'))) as {
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, unknown> };
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

  it('refers to nothing that is not there', () => {
    const known = new Set([
      ...Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`),
      '#/components/responses/Problem',
      ...['X-Request-Id', 'ETag', 'Location'].map((name) => `#/components/headers/${name}`),
    ]);
    expect(referencesIn(document).filter((reference) => !known.has(reference))).toEqual([]);
  });

  it('tells of conditions and of keys where they make a difference', () => {
    const told = (path: string, method: string): string[] => {
      const operation = document.paths[path]?.[method] ?? {};
      const { parameters = [], responses = {} } = operation as {
        parameters?: { name: string; in: string }[];
        responses?: Record<string, { headers?: object }>;
      };
      const sent = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
      const answered = Object.entries(responses).flatMap(([status, { headers = {} }]) =>
        Object.keys(headers)
          .filter((name) => name !== 'X-Request-Id')
          .map((name) => `${status} ${name}`),
      );
      return [...sent, ...answered];
    };
    expect(told('/zones', 'get')).toEqual([]);
    expect(told('/zones', 'post')).toEqual(['Idempotency-Key', '201 Location']);
    expect(told('/zones/{zoneUuid}', 'get')).toEqual(['If-None-Match', '200 ETag', '304 ETag']);
    expect(told('/zones/{zoneUuid}', 'patch')).toEqual(['If-Match', '200 ETag']);
    expect(told('/zones/{zoneUuid}', 'delete')).toEqual(['If-Match']);
    expect(told('/zones/{zoneUuid}/adaptors/{adaptorUuid}/registration', 'get')).toEqual([]);
  });

  it('has every endpoint', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods));
    expect(operations).toHaveLength(endpoints.length);
  });

  it('shows times as integers, unknown JSON as anything, and what may be null as such', () => {
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
    for (const { declaration } of endpoints) {
      expect(page).toContain(`| ${declaration.method} | \`${declaration.path}\` | ${declaration.summary} |`);
    }
  });
});
