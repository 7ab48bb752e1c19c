import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@fds/json';
import { compileModelSchema } from './compile-model-schema.js';

const text = { type: 'string' };
const model = (members: JsonObject): JsonObject => ({ properties: { a: text, b: { type: 'number' } }, ...members });

/** The details of a schema's faults. */
const detailsOf = (schema: JsonObject, drKeyProperties: readonly string[] = ['a']): string[] =>
  (compileModelSchema({ modelSchema: schema, drKeyProperties }).errors ?? []).map(({ detail }) => detail);

describe('the detail of a fault names the value', () => {
  it.each<[offending: string, schema: JsonObject, drKey?: readonly string[]]>([
    ['"zz", which is not a property', model({ required: ['a', 'zz'] })],
    ['7', model({ required: [7] })],
    ['"zz"', model({ required: 'zz' })],
    ['"zz"', model({ propertyGroups: [['a', 'zz']] })],
    ['"b"', model({ propertyGroups: [['b'], ['b']] })],
    ['"zz"', model({}), ['zz']],
    ['"a"', model({}), ['a', 'a']],
    ['"o"', { properties: { a: text, o: { properties: { a: text } } } }, ['o']],
    ['zz', model({ zz: 1 })],
    ['"zz"', model({ type: 'zz' })],
    ['"zz"', { properties: { a: { type: 'zz' } } }],
    ['"zz"', { properties: { a: { type: 'string', format: 'zz' } } }],
    ['zz', { properties: { a: { type: 'string', zz: 1 } } }],
    ['"zz"', { properties: { a: { type: 'integer', enum: ['zz'] } } }],
    ['"zz"', { properties: { a: text, r: { $ref: 'zz' } } }],
    ['"z z"', { properties: { a: text, r: { $ref: '/domains/dd:v1', sort: 'z z' } } }],
    ['"zz"', { properties: { a: text, r: { $ref: '/domains/dd:v1', query: 'name:${zz}' } } }],
  ])('%s', (...[offending, schema, drKey]) => {
    const details = detailsOf(schema, drKey);
    expect(details).not.toEqual([]);
    expect(details.join('\n')).toContain(offending);
  });

  it('and cuts a long one', () => {
    const [fault] = detailsOf(model({ required: ['z'.repeat(500)] }));
    expect(fault?.length).toBeLessThan(200);
    expect(fault).toContain('"zzz');
  });
});
