// Loaded into the process of a test run. When the results are written and something keeps the process alive all the same,
// it says what that is, and ends: a handle that is left open is seen, and holds up nothing.
import { existsSync } from 'node:fs';

const graceMs = 10_000;
const resultsFile = process.env.FDS_TEST_RESULTS ?? '';

const countKinds = () => {
  const counts = new Map();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
};

// it keeps nothing alive: a process without open handles ends before
const look = setInterval(() => {
  if (!existsSync(resultsFile)) return;
  clearInterval(look);
  setTimeout(() => {
    console.error(
      `The tests have ended, and left open: ${countKinds()}. Find them with --detectOpenHandles, suite by suite.`,
    );
    process.exit();
  }, graceMs).unref();
}, 1_000);
look.unref();
