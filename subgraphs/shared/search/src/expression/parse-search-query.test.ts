import { describe, expect, it } from '@jest/globals';
import { AppError } from '@fds/errors';
import { parseSearchQuery, type ParseOptions } from './parse-search-query.js';
import type { SearchQuery } from './search-query.js';

/** A short form of the tree, to be read in a table. */
const show = (query: SearchQuery): string => {
  switch (query.kind) {
    case 'all':
      return 'all';
    case 'not':
      return `not(${show(query.of)})`;
    case 'and':
    case 'or':
      return `${query.kind}(${query.of.map(show).join(' ')})`;
    case 'clauses': {
      const shown = [
        ...query.required.map((each) => `+${show(each)}`),
        ...query.optional.map(show),
        ...query.excluded.map((each) => `-${show(each)}`),
      ];
      return `{${shown.join(' ')}}`;
    }
    case 'match': {
      const { field, test } = query;
      return `${field ?? '_'}:${JSON.stringify(Object.values(test).slice(1))}${test.kind === 'equals' ? '' : test.kind}`;
    }
  }
};

const value = (text: string): string => JSON.stringify([{ kind: 'literal', value: text }]);
const term = (field: string, text: string): string => `${field}:${value(text)}`;

describe('parseSearchQuery', () => {
  it.each<readonly [string, string]>([
    ['', 'all'],
    ['  ', 'all'],
    ['*:*', 'all'],
    ['name:smith', term('name', 'smith')],
    ['name: smith', term('name', 'smith')],
    ['name:"John Smith"', term('name', 'John Smith')],
    ['"John Smith"', term('_', 'John Smith')],
    ['a:1 AND b:2 OR c:3', `or(and(${term('a', '1')} ${term('b', '2')}) ${term('c', '3')})`],
    ['a:1 OR b:2 AND c:3', `or(${term('a', '1')} and(${term('b', '2')} ${term('c', '3')}))`],
    ['a:1 && b:2', `and(${term('a', '1')} ${term('b', '2')})`],
    ['a:1 || b:2', `or(${term('a', '1')} ${term('b', '2')})`],
    ['NOT a:1', `not(${term('a', '1')})`],
    ['!a:1', `not(${term('a', '1')})`],
    ['-a:1', `not(${term('a', '1')})`],
    ['+a:1', term('a', '1')],
    ['a:1 AND NOT b:2', `and(${term('a', '1')} not(${term('b', '2')}))`],
    ['a:1 NOT b:2', `{${term('a', '1')} -${term('b', '2')}}`],
    ['a:1 b:2', `{${term('a', '1')} ${term('b', '2')}}`],
    ['+a:1 -b:2 c:3', `{+${term('a', '1')} ${term('c', '3')} -${term('b', '2')}}`],
    ['(a:1 OR b:2) AND c:3', `and(or(${term('a', '1')} ${term('b', '2')}) ${term('c', '3')})`],
    ['a:(x OR "y z")', `or(${term('a', 'x')} ${term('a', 'y z')})`],
    ['a:(+x -y)', `{+${term('a', 'x')} -${term('a', 'y')}}`],
    ['a:(x OR b:y)', `or(${term('a', 'x')} ${term('b', 'y')})`],
    ['NOT(a:1)', `not(${term('a', '1')})`],
    ['name:sm?th*', 'name:[[{"text":"sm"},{"wild":"?"},{"text":"th"},{"wild":"*"}]]wildcard'],
    [String.raw`name:\*x`, term('name', '*x')],
    ['name:"x*"', term('name', 'x*')],
    ['name:*', 'name:[]present'],
    ['*', '_:[]present'],
    ['name:roam~', 'name:["roam",2]fuzzy'],
    ['name:roam~1', 'name:["roam",1]fuzzy'],
    ['name:roam~0', 'name:["roam",0]fuzzy'],
    ['n:-5', term('n', '-5')],
    ['n:(-5)', `not(${term('n', '5')})`],
    ['ts:2020-01-01T00:00:00Z', term('ts', '2020-01-01T00:00:00Z')],
    ['url:http://x/y', term('url', 'http://x/y')],
    [String.raw`a:x\ y`, term('a', 'x y')],
    ['name:/joh?n(ath[oa]n)/', 'name:["joh?n(ath[oa]n)"]pattern'],
    [String.raw`name:/a\/b\d/`, String.raw`name:["a/b\\d"]pattern`],
    ['name:München', term('name', 'München')],
    ['a:"AND"', term('a', 'AND')],
    ['a:ANDREW', term('a', 'ANDREW')],
    ['a:$5', term('a', '$5')],
    ['a:"${x}"', term('a', '${x}')],
  ])('%s', (text, tree) => {
    expect(show(parseSearchQuery(text))).toBe(tree);
  });

  it.each<readonly [string, string | null, boolean | null, string | null, boolean | null]>([
    ['n:[1 TO 10]', '1', true, '10', true],
    ['n:{1 TO 10}', '1', false, '10', false],
    ['n:[1 TO 10}', '1', true, '10', false],
    ['n:{1 TO 10]', '1', false, '10', true],
    ['n:[* TO 5]', null, null, '5', true],
    ['n:[-5 TO *]', '-5', true, null, null],
    ['n:["a b" TO "*"]', 'a b', true, '*', true],
    ['n:>=5', '5', true, null, null],
    ['n:>5', '5', false, null, null],
    ['n:<=-5', null, null, '-5', true],
    ['(n:<5)', null, null, '5', false],
    ['t:[2020-01-01T00:00:00Z TO *]', '2020-01-01T00:00:00Z', true, null, null],
  ])('%s', (text, from, fromInclusive, to, toInclusive) => {
    const query = parseSearchQuery(text);
    if (query.kind !== 'match' || query.test.kind !== 'range') throw new Error('no range');
    const shown = [query.test.from, query.test.to].flatMap((bound) => {
      if (bound === null) return [null, null];
      return [bound.operand.kind === 'literal' ? bound.operand.value : null, bound.inclusive];
    });
    expect(shown).toEqual([from, fromInclusive, to, toInclusive]);
  });

  it.each<readonly [string, number, string, ParseOptions['placeholders']?]>([
    ['a:(', 3, 'SYNTAX'],
    ['a:[1 TO', 7, 'SYNTAX'],
    ['AND', 3, 'SYNTAX'],
    ['a:1 AND', 7, 'SYNTAX'],
    ['(a:1', 4, 'SYNTAX'],
    ['a:"x', 2, 'SYNTAX'],
    ['a:/x', 2, 'SYNTAX'],
    ['a:[1 2]', 5, 'SYNTAX'],
    [':x', 0, 'SYNTAX'],
    ['a:1)', 3, 'SYNTAX'],
    ['a:"b c"~2', 7, 'SYNTAX'],
    ['a:b^2', 3, 'SYNTAX'],
    ['a:b~3', 3, 'SYNTAX'],
    ['a:b*~1', 2, 'SYNTAX'],
    ['a:${x}', 2, 'SYNTAX'],
    ['a:x${y}', 4, 'SYNTAX', 'allowed'],
    ['a:\0', 2, 'INVALID_CHARACTER'],
    [`a:${'x'.repeat(10_000)}`, 10_000, 'TOO_LONG'],
    ['('.repeat(5000), 50, 'SYNTAX'],
    ['a:b '.repeat(501), 0, 'TOO_MANY_TERMS'],
  ])('refuses %j at %d', (text, position, code, placeholders = 'refused') => {
    let thrown: unknown;
    try {
      parseSearchQuery(text, { placeholders });
    } catch (error) {
      thrown = error;
    }
    if (!(thrown instanceof AppError)) throw new Error('not refused');
    expect(thrown.code).toBe('INVALID_QUERY');
    expect(thrown.details).toEqual({ position });
    expect(thrown.errors).toEqual([expect.objectContaining({ pointer: 'query', code })]);
  });

  it('knows placeholders where they are allowed', () => {
    const placeholder = { kind: 'placeholder', name: 'id' };
    const options = { placeholders: 'allowed' } as const;
    expect(parseSearchQuery('parent:${id}', options)).toMatchObject({ test: { kind: 'equals', operand: placeholder } });
    expect(parseSearchQuery('parent:"${id}"', options)).toMatchObject({ test: { operand: placeholder } });
    expect(parseSearchQuery('n:[${id} TO *]', options)).toMatchObject({ test: { from: { operand: placeholder } } });
    expect(parseSearchQuery('a:"x ${id}"', options)).toMatchObject({ test: { operand: { value: 'x ${id}' } } });
  });

  it('returns the position of each test', () => {
    expect(parseSearchQuery('a:1 OR  b:2')).toMatchObject({ of: [{ at: 0 }, { at: 8 }] });
  });
});
