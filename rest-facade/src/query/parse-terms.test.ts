import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Reading } from '../causes/reading.js';
import { parseTerms, type Term } from './parse-terms.js';

const parse = (text: string) => {
  const reading = new Reading();
  const terms = parseTerms('filters', text, reading).map(({ key, parts }) => [key, ...parts]);
  return { terms, causes: reading.causes };
};

const printTerms = (terms: readonly Term[]): string =>
  terms
    .map(({ key, parts }) => [key, ...parts.map((part) => `"${part.replaceAll(/["\\]/g, String.raw`\$&`)}"`)].join(':'))
    .join(',');

describe('parseTerms', () => {
  it.each([
    ['name:a', [['name', 'a']]],
    [
      'name:a,version:2',
      [
        ['name', 'a'],
        ['version', '2'],
      ],
    ],
    [
      'name:a, version:2',
      [
        ['name', 'a'],
        ['version', '2'],
      ],
    ],
    ['dr-uuids:a:b:c', [['dr-uuids', 'a', 'b', 'c']]],
    ['name:"a,b:c"', [['name', 'a,b:c']]],
    ['dr-key:mail="a,b"', [['dr-key', 'mail=a,b']]],
    [String.raw`name:"say \"hi\" \\ bye"`, [['name', String.raw`say "hi" \ bye`]]],
    ['name:a%2Cb%3Ac', [['name', 'a,b:c']]],
    ['name:"100%2C"', [['name', '100%2C']]],
    ['name:100%', [['name', '100%']]],
    ['name:', [['name', '']]],
  ])('reads %s', (text, terms) => {
    expect(parse(text)).toEqual({ terms, causes: [] });
  });

  it.each(['name', 'name:a,', ',', ':a', 'name:"a', 'name:a"'])('refuses %s', (text) => {
    expect(parse(text).causes.map(({ pointer, code }) => [pointer, code])).toContainEqual(['filters', 'MALFORMED']);
  });

  it('reads back every key and value that is quoted', () => {
    const term = fc.record({
      key: fc.stringMatching(/^[a-z][a-z-]*$/),
      parts: fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }),
    });
    fc.assert(
      fc.property(fc.array(term, { minLength: 1 }), (terms) => {
        const reading = new Reading();
        expect(parseTerms('filters', printTerms(terms), reading)).toEqual(terms);
        expect(reading.causes).toEqual([]);
      }),
    );
  });

  it('refuses or reads any text, and never fails', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parse(text)));
  });
});
