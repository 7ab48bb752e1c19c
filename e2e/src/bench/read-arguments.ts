import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What `npm run bench -- [row ...] [--figures] [--json <file>]` asks for. */
export interface BenchArguments {
  /** Numbers of the rows to run; empty = all. */
  readonly rows: readonly number[];
  /** Measure what has no goal, and rows only where their numbers are given. */
  readonly figures: boolean;
  /** Where the results go as JSON. Default: `bench-results.json` in the system's folder for temporary files. */
  readonly jsonFile: string;
}

/** @throws Error that names what it does not know */
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
