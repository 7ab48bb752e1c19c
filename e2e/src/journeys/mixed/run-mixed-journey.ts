// Edits under faults of three databases: npm run journey:mixed [-- --minutes <n> --seed <n>].
import { createLeftovers } from '../../harness/leftovers.js';
import { readNumbers } from '../read-numbers.js';
import { runMixed } from './run-mixed.js';

const wanted = readNumbers(process.argv.slice(2), { minutes: 30, seed: Date.now() % 1_000_000 });
const shownDifferences = 5;
const leftovers = createLeftovers();
try {
  const { differences, ...result } = await runMixed(leftovers, { ...wanted, deadlineMs: 180_000 });
  console.log(JSON.stringify({ ...wanted, ...result, differences: differences.length }));
  for (const difference of differences.slice(0, shownDifferences)) console.error(difference);
  if (differences.length > 0) process.exitCode = 1;
} finally {
  await leftovers.dispose();
}
