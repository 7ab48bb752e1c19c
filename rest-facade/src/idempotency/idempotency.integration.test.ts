import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSealer } from '@fds/auth';
import { logChange } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import type { Grant } from '@fds/access-rules';
import { createLog } from '@fds/service';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { json } from '../testing/ask.js';
import { authorization, callerUuid, openFacade, type RootFields } from '../testing/open-facade.js';
import { adaptor, other, uuid, zone } from '../testing/samples.js';
import { openIdempotencyStore } from './open-idempotency-store.js';

const dayMs = 24 * 3_600_000;
const leaseMs = 60_000;

/** A promise that one function awaits and another resolves. */
const createGate = () => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), opened };
};

describe('requests with an Idempotency-Key', () => {
  let database: TestDatabase;
  const key = randomBytes(32);
  let time = Date.now();
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.drop());

  /** A process of its own on the database; `fields` are the resolvers of its operations. */
  const openServer = async (fields: RootFields, longestWaitMs = 10_000, grants?: readonly Grant[]) => {
    const store = openIdempotencyStore({
      database,
      sealer: createSealer(key),
      log: createLog('silent'),
      now: () => new Date(time),
      newUuid: randomUUID,
      longestWaitMs,
    });
    const server = await openFacade(fields, grants, store);
    return { server, close: () => server.close().then(() => store.close()) };
  };
  const post = (idempotencyKey: string, payload: string, url = '/api/zones'): InjectOptions => {
    const request = json('POST', url, payload);
    return { ...request, headers: { ...request.headers, authorization, 'idempotency-key': idempotencyKey } };
  };
  const send = async (server: FastifyInstance, request: InjectOptions) => {
    const { statusCode, headers, body } = await server.inject(request);
    const { code } = JSON.parse(body) as { code?: string };
    return { status: statusCode, headers, body, code };
  };
  const counting = () => {
    let count = 0;
    const fields: RootFields = { createZone: () => ({ ...zone, name: `zone ${(count += 1)}` }) };
    return { fields, count: () => count };
  };

  it('take effect once and get the same answer, also after a restart', async () => {
    const { fields, count } = counting();
    const first = await openServer(fields);
    const one = await send(first.server, post('a', '{"name":"x","description":null}'));
    await first.close();
    const second = await openServer(fields);
    const again = await send(second.server, post('"a"', '{ "description": null, "name": "x" }'));
    await second.close();
    expect([one.status, again.status, again.body]).toEqual([201, 201, one.body]);
    expect([again.headers['location'], again.headers['etag']]).toEqual([one.headers['location'], one.headers['etag']]);
    expect([one.headers['idempotency-replayed'], again.headers['idempotency-replayed']]).toEqual([undefined, 'true']);
    expect(count()).toBe(1);
  });

  it('are refused with another body or query string, and are independent of other paths', async () => {
    const { fields, count } = counting();
    const { server, close } = await openServer({ ...fields, createChildZone: () => zone });
    const answers = [
      await send(server, post('b', '{"name":"x"}')),
      await send(server, post('b', '{"name":"y"}')),
      await send(server, post('b', '{"name":"x"}', `/api/zones/${uuid}/child-zones`)),
    ];
    await close();
    expect(answers.map(({ status, code }) => [status, code])).toEqual([
      [201, undefined],
      [409, 'IDEMPOTENCY_KEY_REUSED'],
      [201, undefined],
    ]);
    expect(count()).toBe(1);
  });

  it('are refused after the caller has lost the permission', async () => {
    const { fields, count } = counting();
    const before = await openServer(fields);
    expect((await send(before.server, post('lost', '{"name":"x"}'))).status).toBe(201);
    await before.close();
    const after = await openServer(fields, undefined, [{ action: 'GET', resource: '/*' }]);
    expect(await send(after.server, post('lost', '{"name":"x"}'))).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    await after.close();
    expect(count()).toBe(1);
  });

  it('wait for the first one', async () => {
    const [begun, goOn] = [createGate(), createGate()];
    let count = 0;
    const { server, close } = await openServer({
      createZone: async () => {
        count += 1;
        begun.open();
        await goOn.opened;
        return zone;
      },
    });
    const first = send(server, post('c', '{"name":"x"}'));
    await begun.opened;
    const followers = [1, 2, 3].map(() => send(server, post('c', '{"name":"x"}')));
    goOn.open();
    const answers = await Promise.all([first, ...followers]);
    await close();
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(count).toBe(1);
  });

  it('get a Retry-After when the first one takes too long', async () => {
    const [begun, goOn] = [createGate(), createGate()];
    const fields: RootFields = {
      createZone: async () => {
        begun.open();
        await goOn.opened;
        return zone;
      },
    };
    const { server, close } = await openServer(fields, 0);
    const first = send(server, post('i', '{"name":"x"}'));
    await begun.opened;
    const second = await send(server, post('i', '{"name":"x"}'));
    goOn.open();
    expect([second.status, second.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS']);
    expect(Number(second.headers['retry-after'])).toBeGreaterThan(0);
    expect((await first).status).toBe(201);
    await close();
  });

  it('are not stored when they are refused', async () => {
    const { fields } = counting();
    const { server, close } = await openServer(fields);
    const refused = await send(server, post('d', '{"name":5}'));
    const mended = await send(server, post('d', '{"name":"x"}'));
    await close();
    expect([refused.status, mended.status]).toEqual([400, 201]);
  });

  it('are repeated after a failure only if it had no effect', async () => {
    const failing = await openServer({
      createZone: () => {
        throw new Error('the process was killed');
      },
    });
    const { fields, count } = counting();
    const { server, close } = await openServer(fields);
    for (const name of ['e', 'f']) expect((await send(failing.server, post(name, '{"name":"x"}'))).status).toBe(500);
    time += leaseMs;
    expect((await send(server, post('e', '{"name":"x"}'))).status).toBe(201);
    await database.prisma.$transaction((tx) =>
      logChange(tx, { action: 'POST', resourceType: 'Zone', resource: `/zones/${other}`, actorUuid: callerUuid }),
    );
    const unknown = await send(server, post('f', '{"name":"x"}'));
    expect([unknown.status, unknown.code]).toEqual([409, 'IDEMPOTENCY_OUTCOME_UNKNOWN']);
    expect(JSON.parse(unknown.body)).toMatchObject({ changes: [`/zones/${other}`] });
    expect(count()).toBe(1);
    await close();
    await failing.close();
  });

  it('may be sent again after a day', async () => {
    const { fields, count } = counting();
    const { server, close } = await openServer(fields);
    await send(server, post('g', '{"name":"x"}'));
    time += dayMs;
    expect((await send(server, post('g', '{"name":"y"}'))).status).toBe(201);
    await close();
    time += dayMs;
    const last = await openServer(fields);
    await last.close();
    expect((await database.pool.query('SELECT 1 FROM idempotent_request')).rowCount).toBe(0);
    expect(count()).toBe(2);
  });

  it('leave no secret in the database', async () => {
    const { server, close } = await openServer({
      createAdaptor: () => ({ adaptor, clientId: other, clientSecret: 'very-secret' }),
    });
    const url = `/api/zones/${uuid}/adaptors`;
    const answers = [
      await send(server, post('h', '{"name":"crm"}', url)),
      await send(server, post('h', '{"name":"crm"}', url)),
    ];
    await close();
    for (const { body } of answers) expect(body).toContain('very-secret');
    const { rows } = await database.pool.query('SELECT idempotent_request::text AS row FROM idempotent_request');
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain('very-secret');
  });

  it.each(['', '"', 'two words', 'x'.repeat(256), 'ü'])('are refused with the key %j', async (bad) => {
    const { server, close } = await openServer(counting().fields);
    const { status, code } = await send(server, post(bad, '{"name":"x"}'));
    await close();
    expect([status, code]).toEqual([400, 'INVALID_PARAMETER']);
  });
});
