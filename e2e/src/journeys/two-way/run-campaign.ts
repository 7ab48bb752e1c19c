// The long form of the random test of two-way exchange: npm run journey:two-way [-- --histories <n> --seed <n> --records <n>].
import { startTestServer, stopTestServer } from '@fds/database/testing';
import { mariadbMissing } from '@fds/testing';
import { createLeftovers } from '../../harness/leftovers.js';
import { readNumbers } from '../read-numbers.js';
import { createContactServers } from './contact-database.js';
import { runOf } from './run-of.js';
import { runTwoWay } from './run-two-way.js';

const wanted = readNumbers(process.argv.slice(2), { histories: 2_000, records: 200, seed: Date.now() % 1_000_000 });
const shownFaults = 3;
/** A campaign ends after so many runs that stopped. */
const maxStopped = 5;
const leftovers = createLeftovers();
leftovers.add(() => stopTestServer());
try {
  await startTestServer();
  const servers = createContactServers(leftovers);
  let histories = 0;
  let stopped = 0;
  for (let seed = wanted.seed; histories < wanted.histories && stopped < maxStopped; seed += 1) {
    const run = runOf(seed, { records: wanted.records, mariadb: mariadbMissing === undefined });
    const ofRun = createLeftovers();
    try {
      const { faults, ...result } = await runTwoWay(ofRun, servers, run);
      histories += result.histories;
      const databases = run.databases.map(({ kind, scanMethod }) => `${kind} ${scanMethod}`);
      console.log(JSON.stringify({ seed, domainType: run.domainType, databases, ...result, faults: faults.length }));
      for (const fault of faults.slice(0, shownFaults)) console.error(fault);
      if (faults.length > 0 || result.issues > 0 || !result.silent) process.exitCode = 1;
    } catch (cause) {
      // a process or a database of the run did not start, for example: the other seeds are still worth their time
      stopped += 1;
      console.error(`the run of seed ${seed} stopped:`, cause);
      process.exitCode = 1;
    } finally {
      await ofRun.dispose();
    }
  }
} finally {
  await leftovers.dispose();
}
