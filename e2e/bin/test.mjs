// npm test: install what is missing, build, then every test, four files or more at a time: unit and integration, then e2e.
// Ends with a line "N passed, N failed, N skipped".
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepare, root, run } from '../../gateway/bin/prepare.mjs';
import { openMemoryFolder } from './memory-folder.mjs';

await prepare();

const results = mkdtempSync(join(tmpdir(), 'fds-test-'));
// for the temporary files of the tests; undefined: they are on disk
const inMemory = openMemoryFolder();
const only = process.argv.slice(2).filter((argument) => argument !== '--repeat');
// a run of named files repeats nothing unless asked: who looks for an unstable test sees it fail
const repeats = only.length === 0 || process.argv.includes('--repeat');

const cores = availableParallelism();
// a test waits for processes and the database half of the time: four at a time pay even on two cores
const workers = Math.max(4, cores - 1);
// each e2e file starts its own servers, and waits for them half of the time
const e2eWorkers = 4;

const longestFirst = `--testSequencer=${fileURLToPath(new URL('./longest-first.mjs', import.meta.url))}`;

// more failed files than this are not chance: nothing is repeated
const repeatedFiles = 3;
// the files that failed at first and passed when repeated
const unstable = [];

// every exchange with an API notes there what it showed of the OpenAPI document
const notes = join(results, 'contract');

// a service's data directory after its first start; the harness copies it
const preparedData = join(inMemory ?? results, 'prepared');

// compiled code of the workers and of the programs that tests start: most programs are started many times
const compiled = join(inMemory ?? results, 'compiled');

/** Reads jest's report: file → { passed, failed, skipped }. A file that does not load counts as one failed test. */
const readReport = (outputFile) => {
  if (!existsSync(outputFile)) return new Map();
  const files = new Map();
  for (const { name, status, assertionResults } of JSON.parse(readFileSync(outputFile, 'utf8')).testResults) {
    const count = (...wanted) => assertionResults.filter((result) => wanted.includes(result.status)).length;
    const failed = count('failed');
    files.set(name, {
      passed: count('passed'),
      failed: status === 'failed' ? Math.max(failed, 1) : failed,
      skipped: count('pending', 'todo', 'skipped'),
    });
  }
  return files;
};

/** Runs jest once. Returns the report, and whether jest fails for a reason that the report does not contain. */
const jest = async (name, args) => {
  const outputFile = join(results, `${name}.json`);
  const code = await run(
    process.execPath,
    [
      '--no-warnings=ExperimentalWarning',
      `--import=${new URL('./end-when-done.mjs', import.meta.url).href}`,
      join(root, 'node_modules/jest/bin/jest.js'),
      '--json',
      `--outputFile=${outputFile}`,
      ...args,
    ],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        FDS_CONTRACT_NOTES: notes,
        FDS_TEST_RESULTS: outputFile,
        FDS_TEST_PREPARED_DATA: preparedData,
        NODE_COMPILE_CACHE: compiled,
        TMPDIR: inMemory ?? tmpdir(),
      },
    },
  );
  const files = readReport(outputFile);
  return { files, broken: code !== 0 && findFailed(files).length === 0 };
};

const findFailed = (files) => [...files].filter(([, { failed }]) => failed > 0).map(([file]) => file);

/**
 * Runs one part of the tests. Repeats the failed files once, alone, when few files failed;
 * the repetition then decides (ADR 4).
 */
const runPart = async (name, args) => {
  const { files, broken } = await jest(name, [...args, ...only]);
  const failed = findFailed(files);
  if (!repeats || broken || failed.length === 0 || failed.length > repeatedFiles) return { files, broken };
  console.error(`Repeats the files that failed:\n${failed.map((file) => `  ${relative(root, file)}`).join('\n')}`);
  const repeated = await jest(`${name}-repeated`, ['--runInBand', '--runTestsByPath', ...failed]);
  for (const file of failed) {
    const result = repeated.files.get(file);
    if (result === undefined) continue;
    files.set(file, result);
    if (result.failed === 0) unstable.push(relative(root, file));
  }
  return { files, broken: repeated.broken };
};

// the embedded database runs as another user and passes through it
const folders = inMemory === undefined ? [results] : [results, inMemory];
for (const folder of folders) chmodSync(folder, 0o755);
const { prepareData } = await import('../dist/harness/prepare-data.js');
await prepareData(preparedData);

const runs = [
  await runPart('parts', [
    '--testPathIgnorePatterns=/node_modules/',
    '--testPathIgnorePatterns=/e2e/dist/(?!bench/)',
    `--maxWorkers=${workers}`,
    longestFirst,
    '--passWithNoTests',
  ]),
  await runPart('e2e', [
    '--testPathIgnorePatterns=/node_modules/',
    '--testPathIgnorePatterns=^(?!.*/e2e/dist/(?!bench/))',
    `--maxWorkers=${e2eWorkers}`,
    longestFirst,
    '--passWithNoTests',
  ]),
];

/** What is documented and was never asked for: a failure of a run of everything. */
const findUncovered = async () => {
  if (only.length > 0) return [];
  // built by now
  const { readNotes } = await import('../dist/harness/contract/coverage-notes.js');
  const { findUncovered } = await import('../dist/harness/contract/find-uncovered.js');
  const { document, shown } = readNotes(notes);
  return findUncovered(document, shown);
};

const uncovered = await findUncovered();
if (uncovered.length > 0) {
  console.error('Documented in OpenAPI, and not covered by any test:');
  for (const line of uncovered) console.error(`  ${line}`);
}
for (const folder of folders) rmSync(folder, { recursive: true, force: true });

if (unstable.length > 0) {
  console.error('Failed at first and passed when repeated. Each is a defect of the test or of the product:');
  for (const file of unstable) console.error(`  ${file}`);
}

const counts = runs.flatMap(({ files }) => [...files.values()]);
const sum = (key) => counts.reduce((total, one) => total + one[key], 0);
const failed = sum('failed') + uncovered.length + runs.filter(({ broken }) => broken).length;
console.log(`${sum('passed')} passed, ${failed} failed, ${sum('skipped')} skipped`);
process.exit(failed === 0 && sum('passed') > 0 ? 0 : 1);
