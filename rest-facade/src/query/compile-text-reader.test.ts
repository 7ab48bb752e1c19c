import { describe, expect, it } from '@jest/globals';
import { parseType, typeFromAST, type GraphQLInputType, type TypeNode } from 'graphql';
import { loadStaticSchema } from '../testing/static-schema.js';
import { compileTextReader } from './compile-text-reader.js';

const schema = loadStaticSchema();
const read = (type: string, ...parts: string[]): unknown =>
  compileTextReader(typeFromAST(schema, parseType(type) as TypeNode & { kind: never }) as GraphQLInputType)(parts);

const uuid = '019a5d2e-0000-7000-8000-00000000000a';

describe('compileTextReader', () => {
  it.each([
    ['String', 'a', 'a'],
    ['Uuid!', uuid.toUpperCase(), uuid],
    ['Int', '-7', -7],
    ['Long', '9223372036854775807', 9223372036854775807n],
    ['Score', '-0.25', -0.25],
    ['Boolean', 'true', true],
    ['DateTime', '1700000000000', '2023-11-14T22:13:20.000Z'],
    ['AdaptorState', 'PAUSED', 'PAUSED'],
  ])('reads %s from %s', (type, text, value) => {
    expect(read(type, text)).toBe(value);
  });

  it('reads a list from several parts', () => {
    expect(read('[Uuid!]', uuid, uuid)).toEqual([uuid, uuid]);
  });

  it.each([
    ['Uuid', 'a'],
    ['Int', '2147483648'],
    ['Int', '1.0'],
    ['Int', ''],
    ['Long', '9223372036854775808'],
    ['Score', '1e400'],
    ['Score', 'NaN'],
    ['Boolean', 'TRUE'],
    ['DateTime', '2023-11-14T22:13:20Z'],
    ['DateTime', '8640000000000001'],
    ['AdaptorState', 'ASLEEP'],
    ['[Uuid!]', 'a'],
  ])('refuses as %s the text "%s"', (type, text) => {
    expect(() => read(type, text)).toThrow(/^must be/);
  });

  it('refuses several parts for one value', () => {
    expect(() => read('String', 'a', 'b')).toThrow('double quotes');
  });
});
