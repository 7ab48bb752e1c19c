import { describe, expect, it } from '@jest/globals';
import { parseJson, stringifyJson } from '@fds/json';
import { casesOf } from '@fds/testing';
import fc from 'fast-check';
import { readFile, valuesOf } from '../testing/read-file.js';
import { createJsonArraySplitter } from './json-array-splitter.js';

const read = (file: string | Buffer, partBytes?: number, maxRowBytes = 1000) =>
  readFile(file, createJsonArraySplitter(maxRowBytes), partBytes);

describe('a JSON array', () => {
  it.each([
    ['[]', []],
    [' [ ] \n', []],
    ['[{"a":1},{"a":[1,{"b":"],}\\""}]}]', [{ a: 1 }, { a: [1, { b: '],}"' }] }]],
    ['[1 , "x,]" ,null,\n[ ] ]', [1, 'x,]', null, []]],
    ['[{"a":"\\\\"},{"a":"é🌍"}]', [{ a: '\\' }, { a: 'é🌍' }]],
    ['[{"n":9223372036854775807},{"n":-9223372036854775808}]', [{ n: 2n ** 63n - 1n }, { n: -(2n ** 63n) }]],
    ['\uFEFF[{"a":1}]', [{ a: 1 }]],
  ])('of %s has its elements as rows, however it is cut', async (file, values) => {
    for (const partBytes of [1, 2, 3, 7, 1000]) {
      const { rows, broken } = await read(file, partBytes);
      expect(broken).toBeUndefined();
      expect(valuesOf({ rows })).toEqual(values);
      expect(rows.map(({ row }) => row)).toEqual(values.map((_, index) => index + 1));
    }
  });

  it.each([
    ['', undefined, 0, 0],
    ['[', undefined, 1, 0],
    ['{"a":1}', undefined, 0, 0],
    ['[{"a":1},', 2, 9, 1],
    ['[{"a":1},{"a":', 2, 14, 1],
    ['[{"a":1},{"a":}]', 2, 15, 1],
    ['[{"a":1},]', 2, 9, 1],
    ['[{"a":1}', 1, 8, 0],
    ['[{"a":1}] x', 1, 10, 1],
    ['[{"a":1}},{"a":2}]', 1, 8, 0],
    ['[{"a":[1}],{"a":2}]', 1, 10, 0],
    ["[{'a':1}]", 1, 8, 0],
    ['[{"a":1} {"a":2}]', 1, 16, 0],
  ])('that is not one (%s) ends after the rows before', async (file, row, position, rows) => {
    for (const partBytes of [1, 3, 1000]) {
      const { rows: before, broken } = await read(file, partBytes);
      expect(broken?.options).toMatchObject({ code: 'MALFORMED_JSON', position });
      expect(broken?.options.row).toBe(row);
      expect(before).toHaveLength(rows);
    }
  });

  it('continues after a row that is too large or too deep', async () => {
    const deep = `${'['.repeat(501)}${']'.repeat(501)}`;
    const file = `[{"a":1},"${'x'.repeat(2000)}",${deep},{"a":2}]`;
    for (const partBytes of [10, 10_000]) {
      const { rows, broken } = await read(file, partBytes, 1500);
      expect(broken).toBeUndefined();
      expect(valuesOf({ rows })).toEqual([{ a: 1 }, 'ROW_TOO_LARGE', 'TOO_DEEP', { a: 2 }]);
    }
  });

  it('that is not UTF-8 breaks off at the byte', async () => {
    const file = Buffer.concat([Buffer.from('[{"a":"é"},{"a":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}]')]);
    for (const partBytes of [1, 2, 5, 100]) {
      const { rows, broken } = await read(file, partBytes);
      expect(broken?.options).toEqual({ code: 'MALFORMED_JSON', position: 18 });
      expect(valuesOf({ rows })).toEqual([{ a: 'é' }]);
    }
    expect((await read(Buffer.from([0x5b, 0x22, 0xe2, 0x82]), 1)).broken?.options.position).toBe(2);
  });

  it('is read as the parser of whole texts reads it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), fc.integer({ min: 1, max: 40 }), async (values, partBytes) => {
        const text = stringifyJson(values);
        const { rows } = await read(text, partBytes, 1_000_000);
        expect(valuesOf({ rows })).toEqual(parseJson(text));
      }),
    );
  });

  it('from any text is refused exactly when the parser of whole texts refuses it', async () => {
    const piece = fc.constantFrom('[', ']', '{', '}', ',', ':', '"', '\\', '1', '"a"', ' ', 'null', '{"a":1}');
    await fc.assert(
      fc.asyncProperty(fc.array(piece), async (pieces) => {
        const text = `[${pieces.join('')}]`;
        let isJson = true;
        try {
          parseJson(text);
        } catch {
          isJson = false;
        }
        expect((await read(text, 3)).broken === undefined).toBe(isJson);
      }),
      { numRuns: casesOf(300) },
    );
  });
});
