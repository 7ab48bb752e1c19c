// The long form of the journey through three databases: npm run journey:databases [-- --edits <n> --kills <n> --seed <n>].
import { startTestServer, stopTestServer } from '@fds/database/testing';
import { createLeftovers } from '../../harness/leftovers.js';
import { readNumbers } from '../read-numbers.js';
import { openDatabaseStage, runDatabaseJourney } from './run-database-journey.js';

const wanted = readNumbers(process.argv.slice(2), { edits: 2_000, kills: 12, seed: Date.now() % 1_000_000 });
console.error(`seed ${wanted.seed}`);
const leftovers = createLeftovers();
leftovers.add(() => stopTestServer());
try {
  await startTestServer();
  const result = await runDatabaseJourney(await openDatabaseStage(leftovers), {
    ...wanted,
    victims: ['SQLITE', 'SERVICE', 'POSTGRESQL', 'MARIADB'],
    deadlineMs: 600_000,
  });
  console.log(JSON.stringify(result));
  if (Object.values(result.lastEvents).some((count) => count !== 2)) {
    console.error('an adaptor published more or less than the last two edits of its database');
    process.exitCode = 1;
  }
} finally {
  await leftovers.dispose();
}
