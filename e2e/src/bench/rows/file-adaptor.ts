import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { randomBytes } from 'node:crypto';
import { createLeftovers, type Leftovers } from '../../harness/leftovers.js';
import { compare, interleaved } from '../interleaved.js';
import type { Measurement, Row } from '../row.js';
import { spreadOf } from '../../measure/spread.js';
import { openFileCopier, openFolderScan } from '../stage/file-tools.js';

const rounds = 7;
const fileBytes = 256 * 1024 * 1024;
const scannedFiles = 100_000;
const filesPerFolder = 1_000;

const run = promisify(execFile);

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1000;
};

const measureCopy = async (folder: string, leftovers: Leftovers) => {
  const from = join(folder, 'file');
  writeFileSync(from, Buffer.concat(Array.from({ length: 256 }, () => randomBytes(fileBytes / 256))));
  const copy = openFileCopier(folder, leftovers);
  const [ours, theirs, bare] = ['ours', 'theirs', 'bare'].map((name) => join(folder, name)) as [string, string, string];
  const megabytesIn = (seconds: number): number => fileBytes / 1e6 / seconds;
  const bareRates: number[] = [];
  const fresh = async (path: string, work: () => Promise<unknown>): Promise<number> => {
    rmSync(path, { force: true });
    const seconds = await secondsOf(work);
    await run('cmp', [from, path]);
    return megabytesIn(seconds);
  };
  const rates = await interleaved({
    rounds,
    subject: () => fresh(ours, () => copy(from, ours)),
    floor: async () => {
      bareRates.push(await fresh(bare, () => run('cp', [from, bare])));
      return fresh(theirs, async () => {
        await run('cp', [from, theirs]);
        await run('sync', [theirs]);
      });
    },
  });
  const overCp = spreadOf(rates.map(({ subject }, round) => subject / (bareRates[round + 1] ?? NaN)));
  return { ...compare(rates), overCp, bare: spreadOf(bareRates.slice(1)).median };
};

const measureScan = async (folder: string, leftovers: Leftovers) => {
  const root = join(folder, 'scanned');
  for (let index = 0; index < scannedFiles; index += 1) {
    if (index % filesPerFolder === 0) mkdirSync(join(root, `folder ${index / filesPerFolder}`), { recursive: true });
    writeFileSync(join(root, `folder ${Math.floor(index / filesPerFolder)}`, `a file ${index}.txt`), '');
  }
  const scan = await openFolderScan(root, leftovers);
  if (scan.known !== scannedFiles) throw new Error(`${scan.known} files were found`);
  const times = await interleaved({
    rounds,
    subject: () =>
      secondsOf(async () => {
        const changes = await scan.again();
        if (changes !== 0) throw new Error(`${changes} changes of unchanged files`);
      }),
    floor: () =>
      secondsOf(async () => {
        const find = spawn('find', [root, '-type', 'f', '-printf', '%P\\0%s\\0%T@\\0'], {
          stdio: ['ignore', 'ignore', 'inherit'],
        });
        const [code] = (await once(find, 'exit')) as [number];
        if (code !== 0) throw new Error(`find ended with ${code}`);
      }),
  });
  return compare(times);
};

const measure = async (leftovers: Leftovers): Promise<Measurement> => {
  const folder = mkdtempSync(join(tmpdir(), 'fds-bench-files-'));
  leftovers.add(() => rmSync(folder, { recursive: true, force: true }));
  const copy = await measureCopy(folder, leftovers);
  const scan = await measureScan(folder, leftovers);
  const rate = (value: number): string => `${Math.round(value)} MB/s`;
  const milliseconds = (seconds: number): string => `${Math.round(seconds * 1000)} ms`;
  return {
    values: { 'copy over cp': copy.overCp, 'copy over cp and sync': copy.ratio, scan: scan.ratio },
    notes: [
      `copy: ${rate(copy.subject.median)} against ${rate(copy.floor.median)} of cp and sync of the copy, and ${rate(copy.bare)} of cp ` +
        `alone, which is not durable; a file of ${fileBytes / 2 ** 20} MiB, ${rounds} rounds, each copy compared by cmp`,
      `scan: ${milliseconds(scan.subject.median)} against ${milliseconds(scan.floor.median)}; ${scannedFiles} files in ` +
        `${scannedFiles / filesPerFolder} folders, compared with the known files, nothing changed; the thread of the scan included`,
    ],
  };
};

export const fileAdaptor: Row = {
  id: 17,
  what: 'File adaptor: copy; scan of 100 k files',
  comparedWith: 'cp; find -printf',
  figures: [
    { name: 'copy over cp', unit: 'ratio', better: 'higher', goal: 0.9, stretch: 0.95 },
    { name: 'copy over cp and sync', unit: 'ratio', better: 'higher', goal: 1, stretch: 1 },
    { name: 'scan', unit: 'ratio', better: 'lower', goal: 2, stretch: 1.5 },
  ],
  run: async (signal) => {
    signal.throwIfAborted();
    const leftovers = createLeftovers();
    try {
      return await measure(leftovers);
    } finally {
      await leftovers.dispose();
    }
  },
};
