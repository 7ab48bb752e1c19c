import { describe, expect, it } from '@jest/globals';
import { compileModelSchema } from '../compile-model-schema.js';

const properties = {
  id: { type: 'integer' },
  price: { type: 'string', format: 'decimal' },
  address: {
    type: 'object',
    properties: { City: { type: 'string' }, geo: { type: 'object', properties: { lat: { type: 'number' } } } },
  },
  phones: { type: 'array', items: { type: 'object', properties: { digits: { type: 'string' } } } },
  boss: { $ref: '/domains/person:v1' },
};

const compile = (...searchProperties: string[]) =>
  compileModelSchema({ modelSchema: { properties }, drKeyProperties: ['id'], searchProperties });

describe('search properties', () => {
  it('are kept in the spelling of the model, at any depth of objects', () => {
    expect(compile('PRICE', 'address.city', 'address.geo.lat').model?.searchProperties).toEqual([
      { name: 'price', dataPath: ['price'], type: 'string', format: 'decimal' },
      { name: 'address.City', dataPath: ['address', 'City'], type: 'string' },
      { name: 'address.geo.lat', dataPath: ['address', 'geo', 'lat'], type: 'number' },
    ]);
    expect(compile().model?.searchProperties).toEqual([]);
  });

  it.each([
    ['nothing', 'UNKNOWN_PROPERTY'],
    ['address.nothing', 'UNKNOWN_PROPERTY'],
    ['price.amount', 'UNKNOWN_PROPERTY'],
    ['', 'UNKNOWN_PROPERTY'],
    ['address', 'INVALID_TYPE'],
    ['phones', 'INVALID_TYPE'],
    ['phones.digits', 'INVALID_TYPE'],
    ['boss', 'INVALID_TYPE'],
    ['Price', 'DUPLICATE_PROPERTY'],
  ])('refuse %p: %s', (name, code) => {
    expect(compile('price', name).errors).toEqual([
      { pointer: '/searchProperties/1', code, detail: expect.stringContaining(`"${name}"`) },
    ]);
  });

  it('are 32 at most', () => {
    const names = Array.from({ length: 33 }, (_, index) => `p${index}`);
    expect(compile(...names).errors).toMatchObject([{ pointer: '/searchProperties', code: 'OUT_OF_RANGE' }]);
  });
});

describe('a DR Key with decimals', () => {
  it('is the same for equal numbers, and for no others', () => {
    const { model } = compileModelSchema({ modelSchema: { properties }, drKeyProperties: ['price'] });
    const digest = (price: string): string | undefined => model?.keyDigest({ price });
    expect(digest('1.50')).toBe(digest('1.5'));
    expect(digest('1.51')).not.toBe(digest('1.5'));
    expect(model?.validate({ price: '1e3' })).toMatchObject({
      errors: [{ pointer: '/price', code: 'INVALID_FORMAT' }],
    });
    expect(model?.validate({ price: '1.50' })).toMatchObject({ record: { price: '1.50' } });
  });
});
