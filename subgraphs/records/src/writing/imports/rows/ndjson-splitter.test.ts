import { describe, expect, it } from '@jest/globals';
import { readFile, valuesOf } from '../testing/read-file.js';
import { createNdjsonSplitter } from './ndjson-splitter.js';

const read = (file: string, partBytes?: number) => readFile(file, createNdjsonSplitter(100), partBytes);

describe('lines of JSON', () => {
  it.each([
    ['', []],
    ['\n \r\n', []],
    ['{"a":1}', [{ a: 1 }]],
    ['\uFEFF{"a":1}\r\n\n{"a":"é\\n"}\n', [{ a: 1 }, { a: 'é\n' }]],
    ['{"n":9223372036854775807}\n', [{ n: 2n ** 63n - 1n }]],
    ['{"a":1}\n{"a":\n{"a":3}\n', [{ a: 1 }, 'MALFORMED_JSON', { a: 3 }]],
    [`{"a":1}\n"${'x'.repeat(200)}"\n{"a":3}`, [{ a: 1 }, 'ROW_TOO_LARGE', { a: 3 }]],
  ])('%j are rows, however the file is cut', async (file, values) => {
    for (const partBytes of [1, 2, 5, 1000]) {
      const { rows, broken } = await read(file, partBytes);
      expect(broken).toBeUndefined();
      expect(valuesOf({ rows })).toEqual(values);
      expect(rows.map(({ row }) => row)).toEqual(values.map((_, index) => index + 1));
    }
  });

  it('break off in a last line that no newline ends', async () => {
    const { rows, broken } = await read('{"a":1}\n\n{"a":2', 4);
    expect(broken?.options).toEqual({ code: 'MALFORMED_JSON', row: 2 });
    expect(valuesOf({ rows })).toEqual([{ a: 1 }]);
  });
});
