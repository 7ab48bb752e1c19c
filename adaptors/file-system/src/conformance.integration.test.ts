import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CheckResult, conformanceChecks, handlerChecks, runConformance } from '@fds/adaptor-sdk/testing';
import { fileModel } from './testing/file-model.js';

const program = new URL('../bin/fds-file-system-adaptor.mjs', import.meta.url);
const startSource = `import { mkdirSync } from 'node:fs';
mkdirSync('in', { recursive: true });
await import(${JSON.stringify(program.href)});
`;

/** A campaign runs every check. Usually the checks are left out that only the SDK decides and that its tests run. */
const checks = process.env['FDS_TEST_CAMPAIGN'] === undefined ? handlerChecks : conformanceChecks.map(({ id }) => id);

/** Each change is a separate file. The event has the file's name as its destination. */
const change = `import { writeFileSync } from 'node:fs';
writeFileSync('in/' + process.env.RECORD_VALUE, process.env.RECORD_ID);
`;

/** Each file contains its own name, so that a copy shows which file it was made from. */
const startDestination = `import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
if (!existsSync('in')) {
  mkdirSync('in.tmp', { recursive: true });
  for (const name of ['x', 'after', ...Array.from({ length: 300 }, (_, index) => String(index + 1))])
    writeFileSync('in.tmp/' + name, name);
  renameSync('in.tmp', 'in');
  mkdirSync('out', { recursive: true });
}
await import(${JSON.stringify(program.href)});
`;

/** Starts with an empty state every time. */
const startForgetful = `import { rmSync } from 'node:fs';
rmSync(process.env.DATA_DIRECTORY, { recursive: true, force: true });
await import('./start-destination.mjs');
`;

/** A source applies no events, so the checks of its records and of assembly are omitted. */
const sourcePasses = [
  'start',
  'start-paused',
  'pause',
  'operations',
  'variables',
  'secret-variable',
  'unknown-messages',
  'reconnection',
  'takeover',
  'shutdown',
  'duplicate',
  'gap',
  'unknown-property',
  'unreadable',
  'new-epoch',
  'lost-state',
  'hello-after-restart',
  'report',
  'echo',
  'resend',
  'server-lost-state',
  'server-restored',
  'discovered',
];

/** A destination does not answer assembly requests or report changes. Its copies have no nullable property. */
const destinationPasses = [
  'start',
  'start-paused',
  'pause',
  'operations',
  'variables',
  'secret-variable',
  'unknown-messages',
  'reconnection',
  'takeover',
  'shutdown',
  'order',
  'duplicate',
  'gap',
  'delete',
  'unknown-property',
  'unreadable',
  'new-epoch',
  'lost-state',
  'hello-after-restart',
  'batch-order',
  'batch-duplicate',
  'batch-unreadable',
  'batch-frame',
  'crash-starting',
  'crash-hello',
  'crash-first-acknowledgement',
  'crash-link',
  'crash-middle',
  'crash-end',
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fds-file-conformance-'));
  const scripts = {
    'start-source': startSource,
    'start-destination': startDestination,
    'start-forgetful': startForgetful,
    change,
  };
  for (const [name, text] of Object.entries(scripts)) writeFileSync(join(folder, `${name}.mjs`), text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const commandOf = (name: string): string => `${process.execPath} ${join(folder, `${name}.mjs`)}`;
const model = { modelSchema: fileModel, drKeyProperties: ['adaptorUuid', 'sourceUri'] };

/** Includes the reason of a failure in the comparison, so that the test output shows it. */
const expectPassed = (results: readonly CheckResult[], passed: readonly string[]): void => {
  expect(results.filter(({ outcome }) => outcome === 'FAILED')).toEqual([]);
  expect(results.flatMap(({ id, outcome }) => (outcome === 'PASSED' ? [id] : []))).toEqual(
    passed.filter((id) => checks.includes(id)),
  );
  expect(results).toHaveLength(checks.length);
};

it('conforms to the contract of the bus as a source', async () => {
  const results = await runConformance({
    command: commandOf('start-source'),
    changeCommand: commandOf('change'),
    domain: 'file',
    key: 'sourceUri',
    property: 'destinationUri',
    model,
    metadata: {
      type: 'source',
      scanIntervalSeconds: 1,
      paths: [
        {
          domain: 'file',
          version: '1',
          uri: 'file://${FOLDER}/in',
          destinationRewriteRules: [{ findRegex: '^', replaceRegex: '' }],
        },
      ],
    },
    keepsNoRecords: true,
    only: checks,
    concurrency: 4,
    patienceMs: 30_000,
  });
  expectPassed(results, sourcePasses);
}, 240_000);

/** The record of an id is its copy. Its property is the name of the copied file. */
const destination = {
  readCommand: `test ! -e "out/$RECORD_ID" || printf '{"content":"%s"}' "$(cat "out/$RECORD_ID")"`,
  domain: 'file',
  property: 'content',
  model: {
    ...model,
    event: {
      adaptorUuid: 'source',
      sourceUri: 'file:///source/${ID}',
      intermediateUri: 'file://${FOLDER}/in/${PROPERTY}',
      destinationUri: '${ID}',
      action: 'UPDATED',
      contentLength: 1,
    },
  },
  metadata: {
    type: 'destination',
    sourceUris: ['file://${FOLDER}/in'],
    destinations: [
      {
        domain: 'file',
        version: '1',
        destinations: [{ baseUri: 'file://${FOLDER}/out', allowRelativeUri: true }],
      },
    ],
  },
};

it('conforms to the contract of the bus as a destination', async () => {
  const command = commandOf('start-destination');
  const results = await runConformance({ ...destination, command, only: checks, concurrency: 4, patienceMs: 30_000 });
  expectPassed(results, destinationPasses);
}, 240_000);

it('fails when a destination acknowledges events without copying, or loses its state', async () => {
  const faulty = { ...destination, patienceMs: 30_000 };
  const metadata = { ...destination.metadata, sourceUris: ['file://${FOLDER}/elsewhere'] };
  const checks = ['reconnection', 'order', 'crash-end'];
  const copiesNothing = await runConformance({
    ...faulty,
    command: commandOf('start-destination'),
    metadata,
    only: checks,
  });
  expect(copiesNothing.map(({ id, outcome }) => [id, outcome])).toEqual(checks.map((id) => [id, 'FAILED']));
  const forgets = await runConformance({
    ...faulty,
    command: commandOf('start-forgetful'),
    only: ['hello-after-restart'],
  });
  expect(forgets).toMatchObject([{ outcome: 'FAILED', reason: expect.stringContaining('epoch') }]);
}, 120_000);
