import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mariadbMissing } from '@fds/testing';
import { createLeftovers } from '../../harness/leftovers.js';
import { createContactServers, type ContactServers, type DatabaseChoice } from './contact-database.js';
import { runTwoWay } from './run-two-way.js';

const third: DatabaseChoice =
  mariadbMissing === undefined
    ? { kind: 'MARIADB', scanMethod: 'LOG' }
    : { kind: 'POSTGRESQL', scanMethod: 'TIMESTAMP' };

describe('two-way exchange of the same records', () => {
  const leftovers = createLeftovers();
  let servers: ContactServers;
  beforeAll(() => {
    servers = createContactServers(leftovers);
  });
  afterAll(() => leftovers.dispose(), 60_000);

  it.each([
    ['FEDERATED', 40],
    ['SERVICE_DATA_STORE', 20],
  ] as const)(
    'loses no edit of a %s domain, though adaptors and the service are killed',
    async (domainType, records) => {
      const result = await runTwoWay(leftovers, servers, {
        databases: [{ kind: 'SQLITE', scanMethod: 'TIMESTAMP' }, { kind: 'POSTGRESQL', scanMethod: 'LOG' }, third],
        domainType,
        records,
        kills: 2,
        windowMs: 4_000,
        seed: 21,
        deadlineMs: 90_000,
      });
      expect(result).toMatchObject({ faults: [], issues: 0, silent: true, histories: records });
    },
    240_000,
  );
});
