import { eventually } from '@fds/testing';
import { describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { createVersion, requireStatus } from '../../harness/catalogue.js';
import type { Doors } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';
import { uniqueName } from '../unique-name.js';

const rows = 40_000;
const searches = 12;

interface Timed {
  readonly status: number;
  readonly milliseconds: number;
}

const timed = async (send: () => Promise<{ readonly status: number }>): Promise<Timed> => {
  const startedMs = performance.now();
  const { status } = await send();
  return { status, milliseconds: performance.now() - startedMs };
};

const longest = (answers: readonly Timed[]): number => Math.max(...answers.map(({ milliseconds }) => milliseconds));

/** A search by terms that no index can serve; another one for each number. */
const expensive = (terms: number, number: number): string =>
  encodeURIComponent(Array.from({ length: terms }, (_, term) => `id:*${number}x${term}?*y*${term}`).join(' OR '));

/** A domain with many records. */
const importRecords = async ({ dgs }: Doors): Promise<{ readonly domainName: string; readonly drUuid: string }> => {
  const { domainName } = await createVersion(dgs, {
    name: uniqueName('searched'),
    domainType: 'SERVICE_DATA_STORE',
    properties: { id: { type: 'string' }, name: { type: 'string' } },
    drKeyProperties: ['id'],
  });
  const records = Array.from({ length: rows }, (_, n) => ({ id: `${n}x`.repeat(12), name: `record ${n}` }));
  const imported = await dgs.call(`/api/drs/bulk?filters=name:${domainName}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    text: JSON.stringify(records),
  });
  expect([imported.status, imported.body]).toMatchObject([200, { created: rows }]);
  const listed = await dgs.rest<{ drs: { uuid: string }[] }>('GET', `/drs?filters=name:${domainName}&size=1`);
  const [record] = requireStatus(listed, 200).body.drs;
  if (record === undefined) throw new Error('no record was listed');
  return { domainName, drUuid: record.uuid };
};

describe('the shares of the database', () => {
  const { doors } = setUpDoors();

  it('keep point reads and health quick while one reader runs twelve expensive searches', async () => {
    const { domainName, drUuid } = await importRecords(doors);
    const state = { searching: true };
    const searched = Promise.all(
      Array.from({ length: searches }, (_, n) =>
        timed(() => doors.dgs.rest('GET', `/drs?filters=name:${domainName}&query=${expensive(12, n)}`)),
      ),
    ).finally(() => {
      state.searching = false;
    });
    const read: Timed[] = [];
    const healthy: Timed[] = [];
    while (state.searching) {
      read.push(await timed(() => doors.dgs.rest('GET', `/drs/${drUuid}`)));
      const health = await timed(async () => {
        const { statusCode, body } = await request(`${doors.service.baseUrl}/health`);
        await body.dump();
        return { status: statusCode };
      });
      healthy.push(health);
    }
    const answers = await searched;
    expect(new Set([...answers, ...read, ...healthy].map(({ status }) => status))).toEqual(new Set([200]));
    // neither waits until the searches end
    expect(longest(read)).toBeLessThan(longest(answers) / 3);
    expect(longest(healthy)).toBeLessThan(longest(answers) / 3);
  }, 180_000);
});

describe('a search', () => {
  const { doors } = setUpDoors({
    FDS_SEARCH_CONNECTIONS: '1',
    FDS_SEARCHES_PER_CALLER: '1',
    FDS_SEARCH_SECONDS: '3',
  });

  it('ends when it takes too long, and when its caller hangs up', async () => {
    const { domainName } = await importRecords(doors);
    const path = `/drs?filters=name:${domainName}&query=${expensive(180, 1)}`;
    const late = await doors.dgs.rest('GET', path);
    expect([late.status, late.body]).toMatchObject([408, { code: 'QUERY_TIMEOUT' }]);

    const gone = new AbortController();
    const hungUp = request(`${doors.service.baseUrl}/api${path}`, {
      headers: { authorization: `Bearer ${doors.dgs.token ?? ''}` },
      signal: gone.signal,
    });
    const outcome = hungUp.catch((error: unknown) => error);
    const waiting = timed(() => doors.dgs.rest('GET', `/drs?filters=name:${domainName}&query=id:1&size=1`));
    // the place is taken: what waits for it has no answer yet
    gone.abort();
    expect(await outcome).toMatchObject({ name: 'AbortError' });
    const answer = await waiting;
    expect(answer.status).toBe(200);
    expect(answer.milliseconds).toBeLessThan(2_000);
    await eventually(async () => {
      const { body } = await request(`${doors.service.baseUrl}/metrics`);
      expect(await body.text()).toMatch(/fds_bounds_hit_total\{bound="statement_time"\} 1/);
    });
  }, 180_000);
});
