import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Arguments of `npm run bench -- [row ...] [--figures] [--json <file>]`. */
export interface BenchArguments {
  /** Numbers of the rows to run; empty = all. */
  readonly rows: readonly number[];
  /** True: measure the figures without a goal; measure rows only if their numbers are given. */
  readonly figures: boolean;
  /** File for the results as JSON. Default: `bench-results.json` in the system's folder for temporary files. */
  readonly jsonFile: string;
}

/** @throws Error that names the unknown argument */
export const readArguments = (words: readonly string[]): BenchArguments => {
  const rows: number[] = [];
  let figures = false;
  let jsonFile = join(tmpdir(), 'bench-results.json');
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--json') {
      const file = words[(index += 1)];
      if (file === undefined) throw new Error('--json needs a file');
      jsonFile = file;
    } else if (word === '--figures') figures = true;
    else if (/^\d+$/.test(word)) rows.push(Number(word));
    else throw new Error(`unknown argument ${word}: give numbers of rows, --figures, or --json <file>`);
  }
  return { rows, figures, jsonFile };
};
