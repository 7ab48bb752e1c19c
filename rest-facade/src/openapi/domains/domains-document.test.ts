import { Validator } from '@seriousme/openapi-schema-validator';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { findBareObjects } from '../../testing/find-bare-objects.js';
import { authorization, openFacade } from '../../testing/open-facade.js';
import type { VisibleVersion } from './record-version.js';

const versionOf = (domainName: string, versionNumber: number, domainType: VisibleVersion['domainType']) => ({
  typeName: `dr_${domainName}_${versionNumber}`,
  domainName,
  domainUuid: '019a5d2e-0000-7000-8000-000000000011',
  versionNumber,
  domainVersionUuid: `019a5d2e-0000-7000-8000-${String(versionNumber).padStart(12, '0')}`,
  domainType,
});

const model = {
  properties: {
    id: { type: 'integer' },
    kind: { type: 'string', enum: ['A', 'B'], default: 'A' },
    place: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    parts: { type: 'array', items: { type: 'object', properties: { size: { type: 'number' } } } },
    owner: { $ref: '/domains/thing:v1' },
    friends: { $ref: '/domains/elsewhere:v1', multivalued: true },
    code: { $ref: '/domains/thing:v1/id' },
  },
  required: ['id'],
};

interface Document {
  readonly code?: string;
  readonly detail?: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
}

describe('the OpenAPI document of domains', () => {
  let server: FastifyInstance | undefined;
  afterEach(() => server?.close());

  const ask = async (visible: readonly VisibleVersion[], modelSchema: object, query: string) => {
    const fields = { domainVersion: () => ({ modelSchema, drKeyProperties: ['id'] }) };
    server = await openFacade(fields, undefined, undefined, undefined, visible);
    const answer = await server.inject({ url: `/api/openapi.json${query}`, headers: { authorization } });
    return { status: answer.statusCode, text: answer.body, body: JSON.parse(answer.body) as Document };
  };

  it('is valid, and describes each version of a domain by its properties', async () => {
    const visible = [versionOf('thing', 1, 'SERVICE_DATA_STORE'), versionOf('thing', 2, 'FEDERATED')];
    const { status, text, body } = await ask(visible, model, '?domains=Thing');
    expect(status).toBe(200);
    expect((await new Validator().validate(JSON.parse(text) as Record<string, never>)).errors ?? []).toEqual([]);
    expect(findBareObjects(body)).toEqual([]);
    const { schemas } = body.components;
    expect(schemas['AssemblyRequest']).toMatchObject({
      properties: {
        drKeys: {
          items: {
            anyOf: [
              { $ref: '#/components/schemas/dr_thing_1_key' },
              { $ref: '#/components/schemas/dr_thing_2_key' },
              { type: 'string' },
            ],
          },
        },
      },
    });
    expect(schemas['AssembledDataRecordPatch']).toEqual({
      anyOf: [1, 2].map((version) => ({ $ref: `#/components/schemas/dr_thing_${version}_assembled_patch` })),
    });
    expect(schemas['dr_thing_1_assembled_patch']).toMatchObject({
      properties: { data: { properties: { kind: { type: ['string', 'null'] } } } },
    });
    expect(schemas['dr_thing_1']).toMatchObject({
      required: ['id', 'kind'],
      properties: {
        id: { type: 'integer', format: 'int64' },
        kind: { type: 'string', enum: ['A', 'B'] },
        place: { type: ['object', 'null'], required: ['city'] },
        owner: { anyOf: [{ $ref: '#/components/schemas/dr_thing_1' }, { type: 'object' }, { type: 'null' }] },
        friends: { type: ['array', 'null'], items: { type: 'object', additionalProperties: true } },
        code: { type: ['string', 'number', 'boolean', 'null'] },
      },
    });
    expect(schemas['dr_thing_1_data']).toMatchObject({ required: ['id'], additionalProperties: false });
    expect(schemas['dr_thing_1_patch']).not.toHaveProperty('required');
    expect(schemas['dr_thing_2_patch']).toBeUndefined();
    expect(schemas['dr_thing_2_record']).not.toHaveProperty('properties.json');
    // with two versions, a new record must name one
    expect(schemas['dr_thing_1_input']).toMatchObject({ required: ['name', 'version', 'json'] });
    expect(body.paths['/drs']?.['post']).toMatchObject({
      requestBody: {
        content: { 'application/json': { example: { name: 'thing', version: 1, json: { id: 1, kind: 'A' } } } },
      },
    });
  });

  it('has no example of a record if a pattern makes valid values unknown', async () => {
    const strict = { properties: { id: { type: 'string', pattern: '^x+$' } }, required: ['id'] };
    const { body } = await ask([versionOf('thing', 1, 'SERVICE_DATA_STORE')], strict, '?domains=thing');
    expect(JSON.stringify(body.paths['/drs']?.['post'])).not.toContain('"example"');
  });

  it('is refused if it names a domain that the caller may not see', async () => {
    const { status, body } = await ask([versionOf('thing', 1, 'FEDERATED')], model, '?domains=thing,other');
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    expect(body.detail).toContain('"other"');
  });

  it('describes at most 100 versions', async () => {
    const versions = Array.from({ length: 101 }, (_, index) => versionOf('thing', index + 1, 'FEDERATED'));
    expect((await ask(versions, model, '?domains=thing')).body.code).toBe('QUERY_TOO_COMPLEX');
    expect((await ask(versions.slice(1), model, '?domains=thing')).status).toBe(200);
  });

  it('has a bound in bytes, for the models that it reads and for itself', async () => {
    const versions = Array.from({ length: 50 }, (_, index) => versionOf('thing', index + 1, 'SERVICE_DATA_STORE'));
    const modelOf = (size: number) => ({ properties: { id: { type: 'string', description: 'x'.repeat(size) } } });
    const large = await ask(versions, modelOf(50_000), '?domains=thing');
    expect([large.status, large.body.code]).toEqual([400, 'QUERY_TOO_COMPLEX']);
    expect(large.body.detail).toContain('models');
    // the description of a property is repeated for each use of a record
    const written = await ask(versions, modelOf(39_000), '?domains=thing');
    expect([written.status, written.body.code]).toEqual([400, 'QUERY_TOO_COMPLEX']);
    expect(written.body.detail).toContain('the document has more');
  });
});
