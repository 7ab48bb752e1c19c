import { createEmptyDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import { createVersion } from '../harness/catalogue.js';
import { getToken, signIn } from '../harness/client.js';
import { freePort } from '../harness/free-port.js';
import { allUpPath, haproxyMissing, startHaproxy } from '../harness/haproxy.js';
import { createLeftovers } from '../harness/leftovers.js';
import { mosquittoMissing, startMosquitto } from '../harness/mosquitto.js';
import { startReplicas, type Replicas } from '../harness/split-service.js';

const missing = mosquittoMissing ?? haproxyMissing;
const why = missing === undefined ? '' : ` (skipped: ${missing})`;
const clientCount = 8;

(missing === undefined ? describe : describe.skip)(`two servers behind HAProxy${why}`, () => {
  const leftovers = createLeftovers();
  let baseUrl: string;
  let replicas: Replicas;
  let token: string;

  beforeAll(async () => {
    const database = await createEmptyDatabase();
    leftovers.add(() => database.drop());
    const broker = await startMosquitto(leftovers);
    const [front, ...ports] = [await freePort(), await freePort(), await freePort()] as const;
    baseUrl = `http://127.0.0.1:${front}`;
    replicas = await startReplicas(
      leftovers,
      ports,
      { databaseUrl: database.url, broker, baseUrl },
      { FDS_DRAIN_SECONDS: '2', FDS_RATE_LIMIT: '0' },
    );
    await startHaproxy(leftovers, front, ports);
    const person = { ...replicas, baseUrl, username: 'dgs', password: replicas.passwords.dgs };
    const dgs = await signIn(person);
    await createVersion(dgs, {
      name: 'kept',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' } },
      drKeyProperties: ['id'],
    });
    token = await getToken(person);
  }, 180_000);
  afterAll(() => leftovers.dispose(), 120_000);

  /** Writes and reads over kept connections until the signal; resolves with the failures and the number of answers. */
  const useUntil = async (signal: AbortSignal): Promise<{ readonly failures: string[]; readonly answers: number }> => {
    const failures: string[] = [];
    let answers = 0;
    const dispatcher = new Agent({ connections: clientCount });
    const authorization = `Bearer ${token}`;
    const use = async (client: number): Promise<void> => {
      for (let n = 0; !signal.aborted; n += 1) {
        const write = { path: '/api/drs', json: { name: 'kept', json: { id: n * clientCount + client } } };
        const read = { path: '/graphql', json: { query: '{ domains { page { totalElements } } }' } };
        const { path, json } = n % 2 === 0 ? write : read;
        try {
          const { statusCode, body } = await request(`${baseUrl}${path}`, {
            method: 'POST',
            dispatcher,
            headers: { authorization, 'content-type': 'application/json' },
            body: JSON.stringify(json),
          });
          const text = await body.text();
          answers += 1;
          if (statusCode >= 300 || text.includes('"errors"')) failures.push(`${client} ${statusCode} ${text}`);
        } catch (error) {
          failures.push(`${client} ${String(error)}`);
        }
      }
    };
    await Promise.all(Array.from({ length: clientCount }, (_, client) => use(client)));
    await dispatcher.close();
    return { failures, answers };
  };

  /** The load balancer must know the new process before the next one ends. */
  const untilAllUp = () =>
    eventually(async () => {
      const { statusCode, body } = await request(`${baseUrl}${allUpPath}`);
      await body.dump();
      expect(statusCode).toBe(200);
    });

  it('lose no request while each is restarted', async () => {
    const end = new AbortController();
    const used = useUntil(end.signal);
    const codes: (number | null)[] = [];
    for (const server of replicas.servers) {
      codes.push(await server.restart());
      await untilAllUp();
    }
    end.abort();
    const { failures, answers } = await used;
    // a few of them say enough
    expect([codes, failures.slice(0, 5)]).toEqual([[0, 0], []]);
    expect(answers).toBeGreaterThan(100);
  }, 180_000);

  it('says that it ends, and still answers, for the time of the drain', async () => {
    const [server] = replicas.servers;
    if (server === undefined) throw new Error('no server');
    const ended = server.restart();
    const get = async (path: string) => {
      const { statusCode, headers, body } = await request(`${server.url}${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return { statusCode, connection: headers['connection'], body: await body.json() };
    };
    await eventually(async () => {
      expect(await get('/health')).toEqual({
        statusCode: 503,
        connection: 'close',
        body: { status: 'DOWN', detail: 'ending' },
      });
    });
    expect([await get('/health/live'), await get('/api/token'), await get('/api/nothing')]).toMatchObject([
      { statusCode: 200, connection: 'close' },
      { statusCode: 200, connection: 'close' },
      { statusCode: 404, connection: 'close' },
    ]);
    expect(await ended).toBe(0);
  }, 120_000);
});
