import { describe, expect, it } from '@jest/globals';
import { AppError } from './app-error.js';
import { readTogether } from './read-together.js';

const refuse =
  (pointer: string, details: AppError['details'] = {}) =>
  (): never => {
    throw new AppError('INVALID_QUERY', `${pointer} is wrong`, {
      errors: [{ pointer, code: 'WRONG', detail: `${pointer} is wrong` }],
      details,
    });
  };
const errorOf = (readings: Parameters<typeof readTogether>[0]): unknown => {
  try {
    return readTogether(readings);
  } catch (error) {
    return error;
  }
};

describe('readTogether', () => {
  it('returns the parameters by name', () => {
    expect(readTogether({ page: () => 1, sort: () => ['a'] })).toEqual({ page: 1, sort: ['a'] });
  });

  it('throws a single refusal unchanged', () => {
    const one = new AppError('INVALID_QUERY', 'no');
    const query = (): never => {
      throw one;
    };
    expect(errorOf({ page: () => 1, query })).toBe(one);
  });

  it('reports several refusals at once', () => {
    expect(errorOf({ sort: refuse('sort'), query: refuse('query', { position: 3 }) })).toMatchObject({
      code: 'INVALID_PARAMETER',
      errors: [{ pointer: 'sort' }, { pointer: 'query' }],
      details: { position: 3 },
    });
  });

  it('hides no failure behind a refusal', () => {
    const fail = (): never => {
      throw new TypeError('broken');
    };
    expect(errorOf({ sort: refuse('sort'), fail })).toBeInstanceOf(TypeError);
  });
});
