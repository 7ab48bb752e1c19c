import { describe, expect, it } from '@jest/globals';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { readArguments } from './read-arguments.js';

describe('arguments of the benchmark', () => {
  it('takes all rows and a file in the folder for temporary files by default', () => {
    const { rows, figures, jsonFile } = readArguments([]);
    expect([rows, figures]).toEqual([[], false]);
    expect(dirname(jsonFile)).toBe(tmpdir());
  });

  it('takes numbers of rows and a file, in any order', () => {
    expect(readArguments(['6', '--json', 'out.json', '8'])).toEqual({
      rows: [6, 8],
      figures: false,
      jsonFile: 'out.json',
    });
  });

  it('takes figures instead of rows', () => {
    expect(readArguments(['--figures'])).toMatchObject({ rows: [], figures: true });
  });

  it.each([['--jsn'], ['six'], ['-1']])('refuses %s', (word) => {
    expect(() => readArguments([word])).toThrow(word);
  });

  it('refuses --json without a file', () => {
    expect(() => readArguments(['--json'])).toThrow('--json needs a file');
  });
});
