import { createRandom } from '@fds/testing';
import type { DatabaseChoice } from './contact-database.js';
import type { TwoWayRun } from './run-two-way.js';

export interface RunChoice {
  readonly records: number;
  /** Is MariaDB installed? */
  readonly mariadb: boolean;
}

/** A run of a campaign: two to four databases with their ways of reading, as the seed says. */
export const runOf = (seed: number, { records, mariadb }: RunChoice): TwoWayRun => {
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
