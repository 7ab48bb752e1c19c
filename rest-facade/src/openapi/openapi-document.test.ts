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
    ]);
    expect(referencesIn(document).filter((reference) => !known.has(reference))).toEqual([]);
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
