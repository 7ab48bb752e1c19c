// A MariaDB joins a PostgreSQL and is killed on the way: npm run journey:joining [-- --rows <n>].
import { startTestServer, stopTestServer } from '@fds/database/testing';
import { createLeftovers } from '../../harness/leftovers.js';
import { readNumbers } from '../read-numbers.js';
import { createContactServers } from '../two-way/contact-database.js';
import { runJoining } from './run-joining.js';

const { rows } = readNumbers(process.argv.slice(2), { rows: 10_000 });
const leftovers = createLeftovers();
leftovers.add(() => stopTestServer());
try {
  await startTestServer();
  const joined = await runJoining(leftovers, createContactServers(leftovers), { rows, deadlineMs: 3_600_000 });
  console.log(JSON.stringify({ rows, ...joined }));
  if (joined.faults.length > 0) process.exitCode = 1;
} finally {
  await leftovers.dispose();
}
process.exit();
