import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { binaryArray } from './binary-array.js';
import { openTestDatabase, type TestDatabase } from './testing.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.drop());

/** The elements as PostgreSQL reads them. */
const received = async (type: string, value: Buffer): Promise<unknown[]> => {
  const { rows } = await database.pool.query<{ element: unknown }>(`SELECT unnest($1::${type}[])::text AS element`, [
    value,
  ]);
  return rows.map(({ element }) => element);
};

describe('binaryArray', () => {
  it.each<[string, Buffer, unknown[]]>([
    [
      'text',
      binaryArray.text(['', 'a"b\\c', '{"x":"\\"y\\""}', 'NULL', null, 'äé😀', "','"]),
      ['', 'a"b\\c', '{"x":"\\"y\\""}', 'NULL', null, 'äé😀', "','"],
    ],
    ['text', binaryArray.text([]), []],
    ['text', binaryArray.text(['é', 'é', null, 'é', 'x', 'é', '', '']), ['é', 'é', null, 'é', 'x', 'é', '', '']],
    [
      'uuid',
      binaryArray.uuid(['0190a5b2-0000-7000-8000-00000000abcd', null]),
      ['0190a5b2-0000-7000-8000-00000000abcd', null],
    ],
    [
      'bigint',
      binaryArray.int8([0, -1, 2 ** 53 - 1, 2n ** 63n - 1n, -(2n ** 63n), null]),
      ['0', '-1', '9007199254740991', '9223372036854775807', '-9223372036854775808', null],
    ],
    ['double precision', binaryArray.float8([0, -1.5, 1.25e12, null]), ['0', '-1.5', '1250000000000', null]],
    ['bytea', binaryArray.bytea(['', '00ff7f', null]), ['\\x', '\\x00ff7f', null]],
  ])('sends %s in the form that PostgreSQL reads', async (type, value, elements) => {
    expect(await received(type, value)).toEqual(elements);
  });

  it('treats a value of another type as a bug of the caller', () => {
    expect(() => binaryArray.uuid(['0190a5b2'])).toThrow(RangeError);
    expect(() => binaryArray.uuid(['0190a5b2-0000-7000-8000-00000000abcdef'])).toThrow(RangeError);
    expect(() => binaryArray.uuid(['zzzza5b2-0000-7000-8000-00000000abcd'])).toThrow(RangeError);
    expect(() => binaryArray.bytea(['0'])).toThrow(RangeError);
    expect(() => binaryArray.bytea(['zz'])).toThrow(RangeError);
    expect(() => binaryArray.int8([1.5])).toThrow(RangeError);
    expect(() => binaryArray.int8([2n ** 63n])).toThrow('out of range');
  });

  it('sends text that PostgreSQL cannot store, which PostgreSQL then refuses', async () => {
    await expect(received('text', binaryArray.text(['a\0b']))).rejects.toMatchObject({ code: '22021' });
  });
});
