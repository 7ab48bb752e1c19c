import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@fds/json';
import fc from 'fast-check';
import { readOperation } from '../operation/read-operation.js';
import { loadStaticSchema } from '../testing/static-schema.js';
import { Reading } from '../causes/reading.js';
import { compileBodyReader, type BodyReader } from './compile-body-reader.js';
import { decodeBody, parseBody } from './parse-body.js';

const schema = loadStaticSchema();
/** Returns the value that was read, or the causes of the refusal. */
const reader =
  (read: BodyReader) =>
  (body: JsonValue | undefined): unknown => {
    const reading = new Reading();
    const variables = read(body, reading);
    return reading.causes.length === 0 ? variables : reading.causes.map(({ pointer, code }) => [pointer, code]);
  };
const readerOf = (document: string, variable: string, kind: 'object' | 'oneOrMany') => {
  const { variables, result } = readOperation(document, schema);
  return reader(compileBodyReader({ kind, variable }, variables, [result]));
};
const readAdaptor = readerOf(
  'mutation ($z: Uuid!, $a: Uuid!, $input: AdaptorInput!) { result: patchAdaptor(zoneUuid: $z, adaptorUuid: $a, input: $input) { uuid state dateCreated } }',
  'input',
  'object',
);
const readAcls = readerOf(
  'mutation ($z: Uuid!, $inputs: [ZoneAclInput!]!) { result: createInboundAcls(zoneUuid: $z, inputs: $inputs) { uuid } }',
  'inputs',
  'oneOrMany',
);

describe('compileBodyReader', () => {
  it.each<[body: JsonValue, input: unknown]>([
    [{}, {}],
    [{ name: null }, { name: null }],
    [{ state: 'PAUSE' }, { state: 'PAUSE' }],
    [{ state: 'STARTED', uuid: 1, dateCreated: 'x' }, {}],
    [{ changeVersion: 9223372036854775807n }, { changeVersion: 9223372036854775807n }],
    [{ metadata: '"text"' }, { metadata: '"text"' }],
  ])('reads %p', (body, input) => {
    expect(readAdaptor(body)).toEqual({ input });
  });

  it.each<[body: JsonValue, causes: unknown]>([
    [null, [['', 'WRONG_TYPE']]],
    ['x', [['', 'WRONG_TYPE']]],
    [{ 'a/b~c': 1 }, [['/a~1b~0c', 'UNKNOWN_MEMBER']]],
    [{ state: 'ASLEEP' }, [['/state', 'NOT_ALLOWED']]],
    [{ name: 'a\0b' }, [['/name', 'INVALID_CHARACTER']]],
    [{ name: 'a\ud800b' }, [['/name', 'INVALID_CHARACTER']]],
    [{ capabilities: '[{' }, [['/capabilities', 'WRONG_TYPE']]],
    [
      { active: 'true', adaptorTypeUuid: 'x' },
      [
        ['/active', 'WRONG_TYPE'],
        ['/adaptorTypeUuid', 'WRONG_TYPE'],
      ],
    ],
    [{ changeVersion: 9223372036854775808n }, [['/changeVersion', 'WRONG_TYPE']]],
  ])('refuses %p', (body, causes) => {
    expect(readAdaptor(body)).toEqual(causes);
  });

  it('says whether a filter of many issues is a list or one value', () => {
    const document = `mutation ($z: Uuid!, $input: DataIssueSettlementInput!) {
      result: settleDataIssues(zoneUuid: $z, input: $input) { closedCount }
    }`;
    const { variables, result } = readOperation(document, schema);
    const reading = new Reading();
    const body = { filter: { cause: 'ADAPTOR', code: ['UNKNOWN_PROPERTY'] } };
    compileBodyReader({ kind: 'object', variable: 'input' }, variables, [result])(body, reading);
    expect(reading.causes.map(({ pointer, detail }) => [pointer, detail])).toEqual([
      ['/filter/cause', 'filter/cause must be a list: put one value in brackets, too'],
      ['/filter/code', 'filter/code must be text, and not a list'],
    ]);
  });

  it('points into a single object as into a list', () => {
    expect(readAcls({ get: 'ALLOW' })).toEqual({ inputs: [{ get: 'ALLOW' }] });
    expect(readAcls({ get: 1 })).toEqual([['/get', 'NOT_ALLOWED']]);
    expect(readAcls([{}, { get: 1 }])).toEqual([['/1/get', 'NOT_ALLOWED']]);
  });

  it('reads a list both bare and in the form of a list answer', () => {
    const { variables, result } = readOperation(
      'mutation ($z: Uuid!, $inputs: [ZoneAclInput!]!) { result: createInboundAcls(zoneUuid: $z, inputs: $inputs) { uuid } }',
      schema,
    );
    const read = reader(compileBodyReader({ kind: 'list', variable: 'inputs', wrapper: 'acls' }, variables, [result]));
    expect(read([{ get: 'ALLOW' }])).toEqual({ inputs: [{ get: 'ALLOW' }] });
    expect(read({ acls: [{ get: 'ALLOW' }], _links: {}, _page: {} })).toEqual({ inputs: [{ get: 'ALLOW' }] });
    expect(read({ acls: [{ get: 1 }], other: 1 })).toEqual([
      ['/other', 'UNKNOWN_MEMBER'],
      ['/acls/0/get', 'NOT_ALLOWED'],
    ]);
    expect(read({})).toEqual([['/acls', 'REQUIRED']]);
    expect(read('x')).toEqual([['', 'WRONG_TYPE']]);
  });

  it('reads or refuses any JSON, and never changes a prototype', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (text) => {
        readAdaptor(await parseBody(text));
        readAcls(await parseBody(text));
      }),
    );
    readAdaptor(await parseBody('{"__proto__":{"polluted":true},"metadata":{"__proto__":{"polluted":true}}}'));
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('parseBody', () => {
  it.each([
    ['', undefined],
    ['{"a":9223372036854775807}', { a: 9223372036854775807n }],
  ])('reads "%s"', async (text, value) => {
    expect(await parseBody(text)).toEqual(value);
  });

  it.each([
    ['{"a":x}', 5],
    ['{"a":1}}', 7],
    ['[1,]', 3],
    [`[${'1,'.repeat(100_000)}x]`, 200_001],
  ])('reports the position where %s stops being JSON', async (text, position) => {
    await expect(parseBody(text)).rejects.toThrow(
      expect.objectContaining({ code: 'MALFORMED_JSON', details: { position } }),
    );
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(() => decodeBody(Buffer.from([0x22, 0xff, 0x22]))).toThrow(
      expect.objectContaining({ code: 'MALFORMED_JSON' }),
    );
    expect(decodeBody(Buffer.from('"é"'))).toBe('"é"');
  });

  it('refuses JSON that nests too deep', async () => {
    await expect(parseBody('['.repeat(100_000))).rejects.toThrow(expect.objectContaining({ code: 'MALFORMED_JSON' }));
  });
});
