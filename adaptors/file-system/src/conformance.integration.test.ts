import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conformanceChecks, runConformance } from '@fds/adaptor-sdk/testing';
import { fileModel } from './testing/file-model.js';

const program = new URL('../bin/fds-file-system-adaptor.mjs', import.meta.url);
const start = `import { mkdirSync } from 'node:fs';
mkdirSync('in', { recursive: true });
await import(${JSON.stringify(program.href)});
`;

/** Each change is a file of its own; the event says the file's name as destination. */
const change = `import { writeFileSync } from 'node:fs';
writeFileSync('in/' + process.env.RECORD_VALUE, process.env.RECORD_ID);
`;

/** A source applies no events: the other checks read the records of an adaptor, and are skipped. */
const passed = [
  'start',
  'start-paused',
  'operations',
  'unknown-messages',
  'takeover',
  'shutdown',
  'hello-after-restart',
  'report',
  'echo',
  'resend',
  'server-lost-state',
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fds-file-conformance-'));
  writeFileSync(join(folder, 'start.mjs'), start);
  writeFileSync(join(folder, 'change.mjs'), change);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('conforms to the contract of the bus', async () => {
  const results = await runConformance({
    command: `${process.execPath} ${join(folder, 'start.mjs')}`,
    changeCommand: `${process.execPath} ${join(folder, 'change.mjs')}`,
    domain: 'file',
    key: 'sourceUri',
    property: 'destinationUri',
    model: { modelSchema: fileModel, drKeyProperties: ['adaptorUuid', 'sourceUri'] },
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
    concurrency: 4,
    patienceMs: 30_000,
  });
  // the reason of a failure is part of the comparison, so that it is shown
  expect(results.filter(({ outcome }) => outcome === 'FAILED')).toEqual([]);
  expect(results.flatMap(({ id, outcome }) => (outcome === 'PASSED' ? [id] : []))).toEqual(passed);
  expect(results).toHaveLength(conformanceChecks.length);
}, 240_000);
