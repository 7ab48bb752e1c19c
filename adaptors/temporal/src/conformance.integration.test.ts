import { expect, it } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { runConformance } from '@fds/adaptor-sdk/testing';

const program = fileURLToPath(new URL('../bin/fds-temporal-adaptor.mjs', import.meta.url));

// `npx fds-adaptor-conformance` runs every check; these are the ones about the adaptor's own code
const only = ['start', 'order', 'null-and-absent', 'delete', 'duplicate', 'lost-state', 'crash-link', 'crash-middle'];

it('conforms to the contract of the bus', async () => {
  const results = await runConformance({ command: `${process.execPath} ${program}`, only });
  // the reason of a failure is part of the comparison, so that it is shown
  expect(results.filter(({ outcome }) => outcome !== 'PASSED')).toEqual([]);
  expect(results).toHaveLength(only.length);
}, 120_000);
