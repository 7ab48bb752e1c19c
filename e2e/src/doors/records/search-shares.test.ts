import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { createVersion, requireStatus } from '../../harness/catalogue.js';
import { boundHits } from '../bounds/bound-hits.js';
import { openDeafSocket, textFrame } from '../../measure/deaf-socket.js';
import { spreadOf } from '../../measure/spread.js';
import type { Doors } from '../open-doors.js';
import { setUpDoors } from '../set-up-doors.js';
import { uniqueName } from '../unique-name.js';

/** Number of rows. Their long keys make each comparison expensive. */
const rows = 1_500;
const keyLength = 2_500;
const searches = 12;
const searchMs = 3_000;

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

const medianOf = (answers: readonly Timed[]): number =>
  spreadOf(answers.map(({ milliseconds }) => milliseconds)).median;

/** A search that no index supports; each number gives a different one. */
const expensive = (terms: number, number: number): string =>
  Array.from({ length: terms }, (_, term) => `-id:${number}x${term}`).join(' ');

interface Searched {
  readonly domainName: string;
  readonly drUuid: string;
}

/** A domain with records. */
const importRecords = async ({ dgs }: Doors): Promise<Searched> => {
  const { domainName } = await createVersion(dgs, {
    name: uniqueName('searched'),
    domainType: 'SERVICE_DATA_STORE',
    properties: { id: { type: 'string' }, name: { type: 'string' } },
    drKeyProperties: ['id'],
  });
  const records = Array.from({ length: rows }, (_, n) => ({ id: `${n}`.padEnd(keyLength, 'Xy'), name: `record ${n}` }));
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

const graphqlSearch = ({ domainName }: Searched, query: string): string =>
  `{ dataRecords(domainName: "${domainName}", query: "${query}") { page { totalElements } } }`;

describe('the shares of the database', () => {
  const { doors, leftovers } = setUpDoors({
    FDS_SEARCH_CONNECTIONS: '2',
    FDS_SEARCHES_PER_CALLER: '1',
    FDS_SEARCH_SECONDS: String(searchMs / 1000),
  });
  let searched: Searched;
  beforeAll(async () => {
    searched = await importRecords(doors);
  }, 120_000);

  const listing = (query: string): string =>
    `/drs?filters=name:${searched.domainName}&size=1&query=${encodeURIComponent(query)}`;
  const readOne = () => timed(() => doors.dgs.rest('GET', `/drs/${searched.drUuid}`));

  it('keep point reads and health quick while one reader runs twelve expensive searches', async () => {
    const state = { searching: true };
    const answered = Promise.all(
      Array.from({ length: searches }, (_, n) => timed(() => doors.dgs.rest('GET', listing(expensive(8, n))))),
    ).finally(() => {
      state.searching = false;
    });
    const read: Timed[] = [];
    const healthy: Timed[] = [];
    while (state.searching) {
      read.push(await readOne());
      const health = await timed(async () => {
        const { statusCode, body } = await request(`${doors.service.baseUrl}/health`);
        await body.dump();
        return { status: statusCode };
      });
      healthy.push(health);
    }
    const answers = await answered;
    expect(new Set([...read, ...healthy].map(({ status }) => status))).toEqual(new Set([200]));
    // on a slow machine, the last searches may wait too long
    expect(answers.map(({ status }) => status).filter((status) => status !== 429)).toContain(200);
    // Neither waits until the searches end. The median is used, because a loaded machine can delay any single request.
    expect(medianOf(read)).toBeLessThan(longest(answers) / 3);
    expect(medianOf(healthy)).toBeLessThan(longest(answers) / 3);
  }, 120_000);

  it('end a search that takes too long', async () => {
    const before = await boundHits(doors.service, 'statement_time');
    const late = await doors.dgs.rest('GET', listing(expensive(490, 1)));
    expect([late.status, late.body]).toMatchObject([408, { code: 'QUERY_TIMEOUT' }]);
    expect(await boundHits(doors.service, 'statement_time')).toBe(before + 1);
  }, 120_000);

  /** Sends an expensive search. Resolves when it is in flight. @returns a function that disconnects */
  type Send = (query: string) => Promise<() => void>;

  const sendByHttp =
    (path: (query: string) => string, body?: (query: string) => string): Send =>
    async (query) => {
      const gone = new AbortController();
      request(`${doors.service.baseUrl}${path(query)}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${doors.dgs.token ?? ''}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify({ query: body(query) }) }),
        signal: gone.signal,
      }).catch(() => undefined);
      return () => gone.abort();
    };

  const sendBySocket: Send = async (query) => {
    const { baseUrl } = doors.service;
    const socket = await openDeafSocket(leftovers, { baseUrl, token: doors.dgs.token ?? '' });
    const payload = { query: graphqlSearch(searched, query) };
    socket.write(textFrame(JSON.stringify({ id: randomUUID(), type: 'subscribe', payload })));
    return () => void socket.destroy();
  };

  it.each<[string, Send]>([
    ['of a GET', sendByHttp((query) => `/api${listing(query)}`)],
    [
      'of a POST to /graphql',
      sendByHttp(
        () => '/graphql',
        (query) => graphqlSearch(searched, query),
      ),
    ],
    [
      'of an assembly request',
      sendByHttp(
        () => '/graphql',
        (query) => `{ assemble(request: { domain: "${searched.domainName}", query: "${query}" }) { response } }`,
      ),
    ],
    ['of a graphql-ws socket', sendBySocket],
  ])(
    'cancel the statement %s when its caller disconnects',
    async (_door, send) => {
      const hangUp = await send(expensive(480, 2));
      for (let n = 0; n < 10; n += 1) await readOne();
      const state = { answered: false };
      const next = timed(() => doors.dgs.rest('GET', listing('id:1'))).finally(() => {
        state.answered = true;
      });
      for (let n = 0; n < 10; n += 1) await readOne();
      // the search has the caller's only place
      expect(state.answered).toBe(false);
      hangUp();
      const answer = await next;
      expect(answer.status).toBe(200);
      expect(answer.milliseconds).toBeLessThan(searchMs / 2);
    },
    60_000,
  );
});
