import { afterAll, describe, expect, it } from '@jest/globals';
import { mariadbMissing } from '@fds/testing';
import { createLeftovers } from '../../harness/leftovers.js';
import { chinookMissing } from './chinook-file.js';
import { openDatabaseStage, runDatabaseJourney } from './run-database-journey.js';

const missing = chinookMissing ?? mariadbMissing;
const why = missing === undefined ? '' : ` (skipped: ${missing})`;

(missing === undefined ? describe : describe.skip)(`Chinook in three databases${why}`, () => {
  const leftovers = createLeftovers();
  afterAll(() => leftovers.dispose(), 60_000);

  it('has equal content after edits in each database, with every change, although adaptors and the service are killed', async () => {
    const result = await runDatabaseJourney(await openDatabaseStage(leftovers), {
      edits: 240,
      kills: 4,
      victims: ['MARIADB', 'POSTGRESQL', 'SERVICE', 'SQLITE'],
      seed: 14,
      deadlineMs: 90_000,
    });
    expect(result).toMatchObject({
      kills: { SQLITE: 1, POSTGRESQL: 1, MARIADB: 1, SERVICE: 1 },
      // an echo would be a further event
      lastEvents: { SQLITE: 2, POSTGRESQL: 2, MARIADB: 2 },
    });
  }, 240_000);
});
