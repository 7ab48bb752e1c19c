import { describe, expect, it } from '@jest/globals';
import { AppError } from '@fds/errors';
import { checkSearchQuery } from './check-search-query.js';
import { conditionPlaceholders } from './condition-placeholders.js';
import { evaluateCondition } from '../evaluate/evaluate-condition.js';
import { parseSearchQuery } from '../expression/parse-search-query.js';
import type { SearchProperty } from './search-condition.js';

const properties: readonly SearchProperty[] = [
  { name: 'name', type: 'string' },
  { name: 'age', type: 'integer' },
  { name: 'weight', type: 'number' },
  { name: 'alive', type: 'boolean' },
  { name: 'born', type: 'string', format: 'date' },
  { name: 'seen', type: 'string', format: 'date-time' },
];
const uuid = '0190a3e0-0000-7000-8000-000000000001';
const record = {
  uuid,
  drKey: {
    name: 'Ána Smith',
    age: 9_223_372_036_854_775_807n,
    weight: 70.5,
    alive: true,
    born: '1990-02-28',
    seen: '2026-01-31T12:00:00.5+02:00',
  },
};

const matches = (text: string, among = properties): boolean =>
  evaluateCondition(checkSearchQuery(parseSearchQuery(text), among), record);

const faultsOf = (text: string, among = properties): AppError => {
  try {
    checkSearchQuery(parseSearchQuery(text), among);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('not refused');
};

describe('an expression evaluated for a record', () => {
  it.each([
    'NAME:"ána smith"',
    'name:ÁNA*',
    'name:*smith',
    'name:?na?sm*th',
    String.raw`name:ana\ smth~2`,
    String.raw`name:/[A-Zá]+\sSM(I|Y)TH/`,
    'name:/^ána.*$/',
    'age:9223372036854775807',
    'age:[9223372036854775806 TO 9223372036854775807]',
    'age:>9223372036854775806',
    'weight:70.50',
    'weight:7.05e1',
    'weight:{70 TO 71}',
    'alive:TRUE',
    'born:1990-02-28',
    'born:[1990-01-01 TO 1991-01-01}',
    'seen:2026-01-31T10:00:00.500Z',
    'seen:"2026-01-31 10:00:00.5z"',
    'seen:>2026-01-31',
    'name:*',
    'NOT name:x',
    'NOT (NOT age:*)',
    '+alive:true weight:1',
    'weight:1 alive:true',
    '-weight:1',
    'alive:true -weight:1',
    'weight:(1 OR 70.5)',
    uuid,
    uuid.toUpperCase(),
    `"${uuid}" AND name:*`,
    '*',
    '*:*',
    '',
    'name:{a TO *}',
  ])('%s holds', (text) => {
    expect(matches(text)).toBe(true);
  });

  it.each([
    'name:ána',
    'name:"Ána Smit?"',
    'name:smth~1',
    'name:/smith/',
    'name:/[^a-zÁ ]+/',
    'age:9223372036854775806',
    'age:{9223372036854775806 TO 9223372036854775807}',
    'weight:70.50000001',
    'alive:false',
    'seen:2026-01-31T12:00:00.5Z',
    '+alive:true +weight:1',
    '-alive:true',
    'weight:1 -alive:true',
    'weight:1 OR alive:true AND age:1',
    'NOT *',
    '0190a3e0-0000-7000-8000-000000000002',
  ])('%s does not hold', (text) => {
    expect(matches(text)).toBe(false);
  });

  it('takes the single DR Key property where none is named', () => {
    const single = properties.slice(0, 1);
    expect(matches('"ána smith" OR x', single)).toBe(true);
    expect(matches('(x y án*)', single)).toBe(true);
    // a bare UUID is a DR UUID, also if a property contains it
    expect(matches(`${uuid} OR x`, single)).toBe(true);
    expect(matches(`name:${uuid}`, single)).toBe(false);
  });

  it('takes values of the parent as values, never as syntax', () => {
    const condition = checkSearchQuery(parseSearchQuery('name:${n}', { placeholders: 'allowed' }), properties);
    expect(evaluateCondition(condition, record, () => 'ÁNA SMITH')).toBe(true);
    expect(evaluateCondition(condition, record, () => '*')).toBe(false);
    expect(evaluateCondition(condition, record, () => undefined)).toBe(false);
  });

  it('has no value that meets a test where the property has none', () => {
    const condition = checkSearchQuery(parseSearchQuery('NOT name:x'), properties);
    expect(evaluateCondition(condition, { uuid, drKey: { name: null } })).toBe(true);
    expect(evaluateCondition(checkSearchQuery(parseSearchQuery('name:*'), properties), { uuid, drKey: {} })).toBe(
      false,
    );
  });
});

describe('checkSearchQuery', () => {
  it.each<readonly [string, number, readonly string[]]>([
    ['age:1 AND nose:2 OR ears:3', 10, ['UNKNOWN_PROPERTY', 'UNKNOWN_PROPERTY']],
    ['smith', 0, ['PROPERTY_REQUIRED']],
    ['age:old', 0, ['INVALID_VALUE']],
    ['age:[1 TO x]', 0, ['INVALID_VALUE']],
    ['weight:1,5', 0, ['INVALID_VALUE']],
    ['alive:yes', 0, ['INVALID_VALUE']],
    ['alive:[false TO true]', 0, ['INVALID_VALUE']],
    ['born:1990', 0, ['INVALID_VALUE']],
    ['seen:yesterday', 0, ['INVALID_VALUE']],
    ['age:1*', 0, ['NOT_A_TEXT']],
    ['age:1~', 0, ['NOT_A_TEXT']],
    ['weight:/1/', 0, ['NOT_A_TEXT']],
    ['name:/(a/', 0, ['INVALID_PATTERN']],
    [String.raw`name:/(a)\1/`, 0, ['INVALID_PATTERN']],
    ['name:/(?=a)a/', 0, ['INVALID_PATTERN']],
    ['name:/((a{99}){99}){99}/', 0, ['INVALID_PATTERN']],
    [`name:${'*a'.repeat(30)}`, 0, ['TOO_COMPLEX']],
    [`${uuid} OR ${uuid}`, 40, ['TOO_MANY_RECORDS']],
    ['+age:1 nose:2', 7, ['UNKNOWN_PROPERTY']],
  ])('refuses %s', (text, position, codes) => {
    const error = faultsOf(text);
    expect(error.code).toBe('INVALID_QUERY');
    expect(error.details).toEqual({ position });
    expect(error.errors.map(({ code }) => code)).toEqual(codes);
  });

  it.each([
    ['terms with a wildcard', 50, (n: number) => `name:a${n}*`],
    ['terms that begin with *', 10, (n: number) => `name:*a${n}`],
    ['terms that begin with ?', 10, (n: number) => `name:?a${n}`],
    ['fuzzy terms', 10, (n: number) => `name:abcdef${n}~`],
    ['regular expressions', 10, (n: number) => `name:/a${n}+/`],
  ])('allows a limited number of %s in an expression', (_kind, allowed, term) => {
    const terms = (count: number): string => Array.from({ length: count }, (_, n) => term(n)).join(' OR ');
    expect(() => faultsOf(terms(allowed))).toThrow('not refused');
    const { code, errors } = faultsOf(terms(allowed + 2));
    expect(code).toBe('INVALID_QUERY');
    expect(errors.map((cause) => cause.code)).toEqual(['TOO_COMPLEX', 'TOO_COMPLEX']);
  });

  it('compares placeholders with the record that refers, and returns their values', () => {
    const parents = [{ name: 'Nick', type: 'string' as const }];
    const read = (text: string) =>
      checkSearchQuery(parseSearchQuery(text, { placeholders: 'allowed' }), properties, { parents });
    expect(conditionPlaceholders(read('name:${NICK} OR age:[${nick} TO "${Nick}"] OR born:2020-01-01'))).toEqual([
      { name: 'Nick', property: { name: 'name', type: 'string' } },
      { name: 'Nick', property: { name: 'age', type: 'integer' } },
    ]);
    expect(() => read('name:x OR (age:1 AND age:${name})')).toThrow(
      expect.objectContaining({ code: 'INVALID_QUERY', details: { position: 21 } }),
    );
  });
});
