import { describe, expect, it } from '@jest/globals';
import { compileModelSchema } from '@fds/model-schema';
import { readFile, valuesOf } from '../testing/read-file.js';
import { createCsvSplitter } from './csv-splitter.js';

const { model } = compileModelSchema({
  modelSchema: {
    properties: {
      id: { type: 'integer' },
      name: { type: 'string' },
      weight: { type: 'number' },
      active: { type: 'boolean' },
      address: {
        type: 'object',
        properties: { city: { type: 'string' }, geo: { type: 'object', properties: { lat: { type: 'number' } } } },
      },
      phones: { type: 'array', items: { type: 'object', properties: { number: { type: 'string' } } } },
      country: { $ref: '/domains/country:v1' },
      friends: { type: 'array', items: { $ref: '/domains/person:v1' } },
    },
  },
  drKeyProperties: ['id'],
});

const read = (file: string, partBytes?: number) => {
  if (model === undefined) throw new Error('the model of the test does not compile');
  const keyTypeOf = ({ domain }: { readonly domain: string }) => (domain === 'person' ? 'integer' : 'string');
  return readFile(file, createCsvSplitter({ model, keyTypeOf, maxRowBytes: 200 }), partBytes);
};

describe('a CSV file', () => {
  it.each([
    ['id,name\n1,x\n', [{ id: 1, name: 'x' }]],
    [
      '\uFEFFID,Name\r\n1,"a, ""b""\r\nc"\r\n\r\n2,é',
      [
        { id: 1, name: 'a, "b"\r\nc' },
        { id: 2, name: 'é' },
      ],
    ],
    ['id,name\n1,\n2,""\n', [{ id: 1 }, { id: 2, name: '' }]],
    ['id\n9223372036854775807\n-9223372036854775808\n', [{ id: 2n ** 63n - 1n }, { id: -(2n ** 63n) }]],
    [
      'id,weight,active\n1, 1.5e2 ,TRUE\nx,y,z\n',
      [
        { id: 1, weight: 150, active: true },
        { id: 'x', weight: 'y', active: 'z' },
      ],
    ],
    [
      'id,address.city,address.geo.lat\n1,Köln,50.9\n2,,\n',
      [{ id: 1, address: { city: 'Köln', geo: { lat: 50.9 } } }, { id: 2 }],
    ],
    [
      'id,phones\n1,"[{""number"":""7""}]"\n2,seven\n',
      [
        { id: 1, phones: [{ number: '7' }] },
        { id: 2, phones: 'seven' },
      ],
    ],
    [
      'id,country,friends\n1,DE,7\n2,/domains/country:v1?code=DE,"[1,2]"\n',
      [
        { id: 1, country: 'DE', friends: 7 },
        { id: 2, country: { $ref: '/domains/country:v1?code=DE' }, friends: [1, 2] },
      ],
    ],
    ['id,name\n1\n2,x,y\n3,z\n', ['WRONG_CELL_COUNT', 'WRONG_CELL_COUNT', { id: 3, name: 'z' }]],
    ['id,name\n', []],
  ])('%j gives its rows by the types of the model, however it is cut', async (file, values) => {
    for (const partBytes of [1, 3, 1000]) {
      const { rows, broken } = await read(file, partBytes);
      expect(broken).toBeUndefined();
      expect(valuesOf({ rows }).map((value) => JSON.stringify(value, bigints))).toEqual(
        values.map((value) => JSON.stringify(value, bigints)),
      );
      expect(rows.map(({ row }) => row)).toEqual(values.map((_, index) => index + 1));
    }
  });

  it('names every title that is unknown or given twice', async () => {
    const { rows, broken } = await read('id,__proto__,ID,address,address.city,phones.number\n1,,,,,\n');
    expect(rows).toEqual([]);
    expect(broken?.options.code).toBe('VALIDATION_FAILED');
    expect(broken?.options.errors?.map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/__proto__', 'UNKNOWN_PROPERTY'],
      ['/ID', 'DUPLICATE_PROPERTY'],
      ['/address/city', 'DUPLICATE_PROPERTY'],
      ['/phones/number', 'UNKNOWN_PROPERTY'],
    ]);
  });

  it.each([
    ['', undefined],
    ['id,name\n1,x\n2,"y', 2],
    ['id,name\n1,x\n2,"y"z\n3,w\n', 2],
    ['id,name\n1,x\n2,y"z\n3,w\n', 2],
    [`id,name\n1,x\n2,${'y'.repeat(300)}\n3,w\n`, 2],
  ])('%j breaks off', async (file, row) => {
    for (const partBytes of [1, 1000]) {
      const { rows, broken } = await read(file, partBytes);
      expect(broken?.options.code).toBe('MALFORMED_CSV');
      expect(broken?.options.row).toBe(row);
      expect(rows).toHaveLength(row === undefined ? 0 : row - 1);
    }
  });
});

describe('a CSV file with too many cells', () => {
  const commas = ','.repeat(900_000);

  it('ends at a header with more titles than the model has properties', async () => {
    const { rows, broken } = await read(`id,name${commas}\n1,x\n`, 4096);
    expect(rows).toEqual([]);
    expect(broken?.options.code).toBe('MALFORMED_CSV');
    expect(broken?.message).toContain('more titles than the model has properties (11)');
  });

  it('ends at a row with far more cells than the header, after the rows before it', async () => {
    const { rows, broken } = await read(`id,name\n1,x\n${commas}\n2,y\n`, 50);
    expect(valuesOf({ rows })).toEqual([{ id: 1, name: 'x' }]);
    expect(broken?.options).toMatchObject({ code: 'MALFORMED_CSV', row: 2 });
    expect(broken?.message).toContain('a row has more than 1002 cells, the header has 2');
  });
});

const bigints = (_name: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value);
