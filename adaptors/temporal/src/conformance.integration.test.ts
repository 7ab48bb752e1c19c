import { expect, it } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { conformanceChecks, runConformance } from '@fds/adaptor-sdk/testing';

const program = fileURLToPath(new URL('../bin/fds-temporal-adaptor.mjs', import.meta.url));

/** Checks that need a source. The temporal adaptor does not have one. */
const sourceChecks = ['report', 'echo', 'resend', 'server-lost-state'];

it('conforms to the contract of the bus', async () => {
  const command = `${process.execPath} ${program}`;
  const results = await runConformance({ command, concurrency: 4, patienceMs: 30_000 });
  const notPassed = results.filter(({ outcome }) => outcome !== 'PASSED');
  // the comparison includes the reason of a failure, so that the test output shows it
  expect(notPassed.filter(({ outcome }) => outcome === 'FAILED')).toEqual([]);
  expect(notPassed.map(({ id }) => id)).toEqual(sourceChecks);
  expect(results).toHaveLength(conformanceChecks.length);
}, 240_000);
