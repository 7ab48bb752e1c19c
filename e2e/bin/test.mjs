// npm test: install what is missing, build, then every test, two files or more at a time: unit and integration, then e2e.
// Ends with a line "N passed, N failed, N skipped".
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare, root, run } from '../../gateway/bin/prepare.mjs';

await prepare();

const results = mkdtempSync(join(tmpdir(), 'fds-test-'));
const only = process.argv.slice(2);

// a test waits for processes and the database half of the time: two at a time pay even on two cores
const workers = Math.max(2, availableParallelism() - 1);
// each e2e file starts its own servers, and waits for them for a third of its time
const e2eWorkers = Math.min(4, workers + 1);

// every exchange with an API notes there what it showed of the OpenAPI document
const notes = join(results, 'contract');

// a service's data directory after its first start; the harness copies it
const preparedData = join(results, 'data');

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
      ...only,
    ],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { FDS_CONTRACT_NOTES: notes, FDS_TEST_RESULTS: outputFile, FDS_TEST_PREPARED_DATA: preparedData },
    },
  );
  const {
    numPassedTests,
    numFailedTests,
    numPendingTests,
    numTotalTests,
    numFailedTestSuites,
    numRuntimeErrorTestSuites,
  } = JSON.parse(readFileSync(outputFile, 'utf8'));
  return {
    code,
    passed: numPassedTests,
    failed: numFailedTests + numRuntimeErrorTestSuites,
    skipped: numPendingTests,
    total: numTotalTests,
    suites: numFailedTestSuites,
  };
};

// the embedded database runs as another user and passes through it
chmodSync(results, 0o755);
const { prepareData } = await import('../dist/harness/prepare-data.js');
await prepareData(preparedData);

const runs = [
  await jest('parts', [
    '--testPathIgnorePatterns=/node_modules/',
    '--testPathIgnorePatterns=/e2e/dist/(?!bench/)',
    `--maxWorkers=${workers}`,
    '--passWithNoTests',
  ]),
  await jest('e2e', [
    '--testPathIgnorePatterns=/node_modules/',
    '--testPathIgnorePatterns=^(?!.*/e2e/dist/(?!bench/))',
    `--maxWorkers=${e2eWorkers}`,
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
rmSync(results, { recursive: true, force: true });

const sum = (key) => runs.reduce((total, one) => total + one[key], 0);
const failed = sum('failed') + uncovered.length;
console.log(`${sum('passed')} passed, ${failed} failed, ${sum('skipped')} skipped`);
process.exit(runs.every(({ code }) => code === 0) && failed === 0 && sum('passed') > 0 ? 0 : 1);
