// The long form of the random test of two-way exchange: npm run journey:two-way [-- --histories <n> --seed <n> --records <n>].
import { startTestServer, stopTestServer } from '@fds/database/testing';
import { mariadbMissing, createRandom } from '@fds/testing';
import { createLeftovers } from '../../harness/leftovers.js';
import { readNumbers } from '../read-numbers.js';
import { createContactServers, type DatabaseChoice } from './contact-database.js';
import { runTwoWay, type TwoWayRun } from './run-two-way.js';

interface RunChoice {
  readonly records: number;
  /** Is MariaDB installed? */
  readonly mariadb: boolean;
}

/** A run of a campaign: two to four databases with their ways of reading, as the seed says. */
const runOf = (seed: number, { records, mariadb }: RunChoice): TwoWayRun => {
  const random = createRandom(seed);
  const logs = { SQLITE: ['TIMESTAMP'], POSTGRESQL: ['LOG', 'TIMESTAMP'], MARIADB: ['LOG', 'TIMESTAMP'] } as const;
  const kinds = mariadb ? (['SQLITE', 'POSTGRESQL', 'MARIADB'] as const) : (['SQLITE', 'POSTGRESQL'] as const);
  const databases = Array.from({ length: 2 + random.below(3) }, (): DatabaseChoice => {
    const kind = random.pick(kinds);
    return { kind, scanMethod: random.pick(logs[kind]) };
  });
  return {
    databases,
    domainType: random.chance(0.4) ? 'SERVICE_DATA_STORE' : 'FEDERATED',
    records,
    kills: random.below(6),
    windowMs: records * 60,
    seed,
    // on a loaded machine a run takes many times longer
    deadlineMs: 600_000,
  };
};

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
