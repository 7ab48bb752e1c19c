import { describe, expect, it } from '@jest/globals';
import { parseJson, stringifyJson } from '@fds/json';
import { compileModelSchema, type CompiledModel } from '@fds/model-schema';
import { keepSpellings } from './keep-spellings.js';
import { mergeModel } from './merge-model.js';

const text = { type: 'string' };

describe('a patch merged into a model', () => {
  const merge = (current: string, patch: string) =>
    mergeModel(parseJson(current) as Parameters<typeof mergeModel>[0], parseJson(patch));

  it.each<[string, string, string, string]>([
    [
      'joins properties at every level, in the stored spelling',
      '{"properties":{"At":{"properties":{"x":1}},"l":{"type":"array","items":{"properties":{"y":1}}}}}',
      '{"properties":{"AT":{"properties":{"X":2,"z":3}},"L":{"type":"array","items":{"properties":{"w":4}}}}}',
      '{"properties":{"At":{"properties":{"x":2,"z":3}},"l":{"type":"array","items":{"properties":{"y":1,"w":4}}}}}',
    ],
    [
      'unites what is required',
      '{"properties":{"a":1,"o":{"properties":{"x":1},"required":["x"]}},"required":["a"]}',
      '{"properties":{"b":1,"o":{"properties":{"y":1},"required":["X","y"]}},"required":["A","b"]}',
      '{"properties":{"a":1,"o":{"properties":{"x":1,"y":1},"required":["x","y"]},"b":1},"required":["a","b"]}',
    ],
    [
      'takes a flag on an object that has a list',
      '{"properties":{"o":{"properties":{"x":1},"required":["x"]}}}',
      '{"properties":{"o":{"properties":{"y":1},"required":true}}}',
      '{"properties":{"o":{"properties":{"x":1,"y":1},"required":["x"]}},"required":["o"]}',
    ],
    [
      'requires no property that becomes a reference',
      '{"properties":{"a":{"type":"string"},"b":1},"required":["a","b"]}',
      '{"properties":{"A":{"$ref":"/domains/xx:v1"}}}',
      '{"properties":{"a":{"$ref":"/domains/xx:v1"},"b":1},"required":["b"]}',
    ],
    [
      'replaces a property that is not a container',
      '{"properties":{"a":{"type":"string","maxLength":3}}}',
      '{"properties":{"a":{"type":"string"}}}',
      '{"properties":{"a":{"type":"string"}}}',
    ],
    [
      'keeps what it does not name',
      '{"title":"T","propertyGroups":[["a"]],"properties":{"a":1}}',
      '{"description":"D"}',
      '{"title":"T","propertyGroups":[["a"]],"properties":{"a":1},"description":"D"}',
    ],
    [
      'takes names that every object has',
      '{"properties":{"constructor":1}}',
      '{"properties":{"__proto__":{"type":"string"},"toString":1}}',
      '{"properties":{"constructor":1,"__proto__":{"type":"string"},"toString":1}}',
    ],
    [
      'leaves faults to the compiler',
      '{"properties":{"a":1},"required":["a"]}',
      '{"properties":{"a":null},"required":"b"}',
      '{"properties":{"a":null},"required":"b"}',
    ],
    ['a value that is not an object is refused as a whole', '{"properties":{"a":1}}', '[1]', '[1]'],
    [
      'may be JSON-encoded',
      '{"properties":{"a":1}}',
      '"{\\"properties\\":{\\"b\\":2}}"',
      '{"properties":{"a":1,"b":2}}',
    ],
    ['may be absent', '{"properties":{"a":1}}', 'null', '{"properties":{"a":1}}'],
  ])('%s', (_what, current, patch, merged) => {
    expect(stringifyJson(merge(current, patch))).toBe(merged);
    expect(({} as Record<string, unknown>)['type']).toBeUndefined();
  });
});

describe('a model that replaces another one', () => {
  const { model } = compileModelSchema({
    modelSchema: {
      properties: {
        Key: text,
        At: { type: 'object', properties: { Zip: text } },
        List: { type: 'array', items: { type: 'object', properties: { Xx: text } } },
      },
    },
    drKeyProperties: ['Key'],
  });

  it('keeps the spelling under which records store their data', () => {
    const posted = parseJson(
      '{"properties":{"KEY":{"t":1},"at":{"properties":{"ZIP":1,"New":2}},"list":{"items":{"properties":{"xX":1}}},"__proto__":3}}',
    );
    expect(stringifyJson(keepSpellings(posted, model as CompiledModel))).toBe(
      '{"properties":{"Key":{"t":1},"At":{"properties":{"Zip":1,"New":2}},"List":{"items":{"properties":{"Xx":1}}},"__proto__":3}}',
    );
    expect(keepSpellings('x', model as CompiledModel)).toBe('x');
  });
});
