import { expect, it } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { conformanceChecks, handlerChecks, runConformance } from '@fds/adaptor-sdk/testing';

const program = fileURLToPath(new URL('../bin/fds-temporal-adaptor.mjs', import.meta.url));

/** A campaign runs every check. Usually the checks are left out that only the SDK decides and that its tests run. */
const checks = process.env['FDS_TEST_CAMPAIGN'] === undefined ? handlerChecks : conformanceChecks.map(({ id }) => id);

/** Checks that need a source. The temporal adaptor does not have one. */
const sourceChecks = [
  'report',
  'echo',
  'resend',
  'server-lost-state',
  'server-restored',
  'discovered',
  'read-kept',
  'unreported-change',
  'same-property',
  'unreported-delete',
  'refusal',
  'refusal-title',
  'away',
  'away-state',
  'waiting',
];

it('conforms to the contract of the bus', async () => {
  const command = `${process.execPath} ${program}`;
  const results = await runConformance({ command, only: checks, concurrency: 4, patienceMs: 30_000 });
  const notPassed = results.filter(({ outcome }) => outcome !== 'PASSED');
  // the comparison includes the reason of a failure, so that the test output shows it
  expect(notPassed.filter(({ outcome }) => outcome === 'FAILED')).toEqual([]);
  expect(notPassed.map(({ id }) => id)).toEqual(sourceChecks);
  expect(results).toHaveLength(checks.length);
}, 240_000);
