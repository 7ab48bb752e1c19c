import { describe, expect, it } from '@jest/globals';
import type { ApiDocument } from './api-document.js';
import { createContract, type ReceivedAnswer, type SentRequest } from './contract.js';
import { findUncovered } from './find-uncovered.js';
import { sharedContract } from './shared-contract.js';

const problem = { content: { 'application/problem+json': { schema: { type: 'object', required: ['code'] } } } };

const document: ApiDocument = {
  paths: {
    '/request': {
      post: {
        operationId: 'assemble',
        servers: [{ url: 'http://localhost:8082' }],
        responses: {
          '200': { content: { 'application/x-ndjson': { schema: { $ref: '#/components/schemas/Line' } } } },
          default: { $ref: '#/components/responses/Problem' },
        },
      },
    },
    '/zones/{zoneUuid}': {
      get: {
        operationId: 'getZone',
        parameters: [
          { name: 'fields', in: 'query', schema: { type: 'string' } },
          { name: 'filters', in: 'query', schema: { type: 'string' }, 'x-keys': { active: { type: 'boolean' } } },
        ],
        responses: {
          '200': {
            headers: { ETag: { $ref: '#/components/headers/ETag' } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Zone' } } },
          },
          '404': { $ref: '#/components/responses/Problem' },
          default: { $ref: '#/components/responses/Problem' },
        },
      },
    },
  },
  components: {
    headers: { ETag: { required: true } },
    responses: { Problem: problem },
    schemas: {
      Line: { type: 'object', properties: { index: { type: 'integer' } }, required: ['index'] },
      Zone: {
        type: 'object',
        properties: { name: { type: 'string' }, size: { type: 'integer', format: 'int64' } },
        required: ['name'],
      },
    },
  },
};

const contract = createContract(document);

const request = (query = '', method = 'GET'): SentRequest => ({
  door: 'api',
  method,
  url: new URL(`http://localhost/api/zones/1${query}`),
  headers: {},
  body: undefined,
});

const answer = (body: unknown, change: Partial<ReceivedAnswer> = {}): ReceivedAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8', etag: '"1"' },
  text: typeof body === 'string' ? body : JSON.stringify(body),
  ...change,
});

const right = answer({ name: 'Root' });

describe('the contract of a server', () => {
  it('records the request and the answer', () => {
    expect(contract.hold(request('?filters=active:true'), right)).toEqual({
      operationId: 'getZone',
      status: 200,
      used: ['filters.active'],
    });
  });

  it('accepts 64-bit integers, and members that `fields` omits', () => {
    expect(contract.hold(request('?fields=size'), answer('{"size":9223372036854775807}'))).toMatchObject({
      status: 200,
    });
  });

  it.each<[string, SentRequest, ReceivedAnswer, RegExp]>([
    ['a member that is not documented', request(), answer({ name: 'Root', colour: 'red' }), /additional.*colour/],
    ['a missing member', request(), answer({ size: 1 }), /required.*name/],
    ['a wrong type', request(), answer({ name: 1 }), /name must be string/],
    ['a missing header', request(), { ...right, headers: { 'content-type': 'application/json' } }, /etag is missing/],
    [
      'a header that is not documented',
      request(),
      { ...right, headers: { ...right.headers, location: '/' } },
      /location is not documented/,
    ],
    [
      'another media type',
      request(),
      { ...right, headers: { ...right.headers, 'content-type': 'text/html' } },
      /text\/html/,
    ],
    ['another status', request(), { ...right, status: 201 }, /status 201 is not/],
    ['a failure', request(), { ...right, status: 500 }, /status 500 is not/],
    ['a parameter that had an effect', request('?colour=red'), right, /parameter colour/],
    ['a key that had an effect', request('?filters=colour:red'), right, /parameter filters\.colour/],
    ['a value that had an effect', request('?filters=active:maybe'), right, /filters\.active: .*boolean/],
    ['405 without Allow', request('', 'PUT'), answer({ code: 'X' }, { status: 405 }), /allow is missing/],
  ])('refuses %s', (_, sent, received, fault) => {
    expect(() => contract.hold(sent, received)).toThrow(fault);
  });
});

describe('the contract of an assembly service', () => {
  const sent = (door: SentRequest['door']): SentRequest => ({
    door,
    method: 'POST',
    url: new URL('http://localhost:8082/request'),
    headers: {},
    body: undefined,
  });
  const lines = (text: string): ReceivedAnswer => ({
    status: 200,
    headers: { 'content-type': 'application/x-ndjson; charset=utf-8' },
    text,
  });

  it('validates each line against the schema', () => {
    expect(contract.hold(sent('assembly'), lines('{"index":0}\n{"index":1}\n'))).toMatchObject({ status: 200 });
    expect(() => contract.hold(sent('assembly'), lines('{"index":0}\n{"index":"1"}\n'))).toThrow(/line 1: .*integer/);
    expect(() => contract.hold(sent('assembly'), lines('{"index":0}'))).toThrow(/no end/);
  });

  it('does not apply below /api', () => {
    const below = { ...sent('api'), url: new URL('http://localhost:8080/api/request') };
    expect(() => contract.hold(below, lines('{"index":0}\n'))).toThrow(/status 200 is not/);
  });
});

describe('the contracts of several servers', () => {
  const textOf = (port: number, operationId: string): string => {
    const { post } = document.paths['/request'] ?? {};
    const request = { post: { ...post, operationId, servers: [{ url: `http://127.0.0.1:${port}` }] } };
    return JSON.stringify({ ...document, paths: { ...document.paths, '/request': request } });
  };

  it('are one if their documents differ only in addresses', () => {
    expect(sharedContract(textOf(8082, 'assemble'))).toBe(sharedContract(textOf(9082, 'assemble')));
  });

  it('differ if their documents differ', () => {
    const other = sharedContract(textOf(8082, 'assembleMore'));
    expect(other.operations.map(({ operationId }) => operationId)).toEqual(['assembleMore', 'getZone']);
    expect(sharedContract(textOf(8082, 'assemble'))).not.toBe(other);
  });
});

describe('an uncovered part of a document', () => {
  it('is listed by operation', () => {
    const shown = [{ operationId: 'getZone', status: 200, used: ['fields'] }];
    const assembled = { operationId: 'assemble', status: 200, used: [] };
    expect(findUncovered(document, [...shown, assembled])).toEqual(['GET /zones/{zoneUuid} (getZone): filters.active']);
    expect(
      findUncovered(document, [{ operationId: 'getZone', status: 200, used: ['fields', 'filters.active'] }, assembled]),
    ).toEqual([]);
  });
});
