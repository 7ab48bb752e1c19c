import { beforeAll, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { eventually } from '@fds/testing';
import type { RunningAdaptor } from '@fds/adaptor-sdk';
import { allActions, createAdaptor, createVersion, requireStatus, type CreatedAdaptor } from '../harness/catalogue.js';
import { startSourceAdaptor } from '../harness/source-adaptor.js';
import { openWebhookReceiver, type Received, type WebhookReceiver } from '../harness/webhook-receiver.js';
import type { Resource } from './open-doors.js';
import { setUpDoors } from './set-up-doors.js';

const domain = 'hooked';
const secret = `whsec_${Buffer.alloc(32, 'secret of the receiver').toString('base64')}`;
const capabilities = ['POST', 'PUT', 'DELETE'].map((action) => ({ domainName: domain, versionNumber: 1, action }));

interface Queue {
  readonly messageCount: number;
  readonly consumerConnected: boolean;
  readonly acknowledgedCount: number;
}

const idOf = ({ message }: Received): string => (JSON.parse(message.drKey) as [string])[0];
const jsonOf = ({ message }: Received): unknown => JSON.parse(message.jsonData);
const countsOf = (received: readonly Received[], id: string): unknown[] =>
  received.filter((one) => idOf(one) === id).map((one) => (jsonOf(one) as { n: number }).n);

/** The first arrival of each message: a repeated message has the same id. */
const withoutRepeats = (received: readonly Received[]): Received[] =>
  [...new Map(received.toReversed().map((one) => [one.headers['webhook-id'], one])).values()].toReversed();

const signatureOf = ({ headers, text }: Received): string => {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
};

describe('webhook adaptors', () => {
  const { doors, leftovers } = setUpDoors({
    FDS_WEBHOOK_ALLOW_PRIVATE: 'true',
    FDS_WEBHOOK_RETRY_SECONDS: '1,1,1',
    FDS_WEBHOOK_TIMEOUT_MS: '1500',
  });
  let webhookType: string;
  let source: CreatedAdaptor & { readonly running: RunningAdaptor };
  let south: string;

  beforeAll(async () => {
    const { admin, dgs, root, service } = doors;
    const types = await dgs.rest<{ adaptorTypes: Resource[] }>(
      'GET',
      '/adaptor-types?filters=name:%22Web Hook Adaptor%22',
    );
    webhookType = requireStatus(types, 200).body.adaptorTypes[0]?.uuid ?? '';
    south = requireStatus(await admin.rest('POST', '/zones', { name: 'south', parentZoneUuid: root }), 201).body.uuid;
    await createVersion(dgs, {
      name: domain,
      domainType: 'FEDERATED',
      properties: { id: { type: 'string' }, n: { type: 'integer' }, secret: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const from = await createAdaptor(dgs, root, { name: 'source', capabilities: allActions(domain) });
    source = { ...from, running: await startSourceAdaptor(leftovers, service, from, {}) };
  }, 120_000);

  const publish = (id: string, n: number, more: object = {}): Promise<unknown> =>
    source.running.publish({ action: 'POST', domain, version: 1, json: { id, n, ...more } });
  const remove = (id: string): Promise<unknown> =>
    source.running.publish({ action: 'DELETE', domain, version: 1, drKey: { id } });
  const openReceiver = (): Promise<WebhookReceiver> => openWebhookReceiver(leftovers);

  const path = ({ uuid }: { uuid: string }, zone = south): string => `/zones/${zone}/adaptors/${uuid}`;
  const addAdaptor = async (name: string, metadata: object): Promise<Resource> => {
    const body = { name, adaptorTypeUuid: webhookType, capabilities, metadata };
    return requireStatus(await doors.dgs.rest('POST', `/zones/${south}/adaptors`, body), 201).body;
  };
  const read = async <T = Resource>(adaptor: Resource, end = ''): Promise<T> =>
    requireStatus(await doors.dgs.rest<T>('GET', `${path(adaptor)}${end}`), 200).body;
  const command = async (adaptor: Resource, state: string): Promise<unknown> =>
    requireStatus(await doors.dgs.rest('PATCH', path(adaptor), { state }), 200).body['state'];
  const untilState = (adaptor: Resource, state: string, message: unknown = null): Promise<void> =>
    eventually(async () => {
      const { state: now, stateMessage } = await read(adaptor);
      expect([now, stateMessage]).toEqual([state, message]);
    });
  /** Ends the adaptor, so that it takes no part in the tests that follow. */
  const end = async (adaptor: Resource): Promise<void> => {
    requireStatus(await doors.dgs.rest('DELETE', `${path(adaptor)}?force=true`), 204);
  };

  it('post each change with its signature and headers, and otherwise are ordinary adaptors', async () => {
    const receiver = await openReceiver();
    const metadata = { url: receiver.url, httpHeaders: [{ name: 'Authorization', value: 'enigma' }], secret };
    const adaptor = await addAdaptor('first', metadata);
    expect(adaptor['metadata']).toEqual({
      url: receiver.url,
      httpHeaders: [{ name: 'Authorization', value: '***' }],
      secret: '***',
    });
    await untilState(adaptor, 'STARTED');
    await publish('a', 1, { secret: 'x' });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    await publish('a', 2);
    await eventually(() => expect(receiver.received).toHaveLength(2));
    await remove('a');
    await eventually(() => expect(receiver.received).toHaveLength(3));
    expect(receiver.received.map(({ message }) => message.action)).toEqual(['POST', 'PUT', 'DELETE']);
    const [created] = receiver.received;
    if (created === undefined) throw new Error('nothing arrived');
    const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown;
    expect(created.message).toEqual({
      action: 'POST',
      drUuid: uuid,
      domainVersionUuid: uuid,
      sourceAdaptorUuid: source.uuid,
      destinationAdaptorUuid: adaptor.uuid,
      transactionUuid: uuid,
      createTime: expect.any(Number) as unknown,
      drKey: '["a"]',
      jsonData: JSON.stringify({ id: 'a', n: 1, secret: 'x' }),
    });
    expect(created.headers).toMatchObject({
      authorization: 'enigma',
      'content-type': 'application/json',
      'webhook-signature': signatureOf(created),
    });
    const queue = await eventually(async () => {
      const now = await read<Queue>(adaptor, '/queue');
      expect(now).toMatchObject({ messageCount: 0, acknowledgedCount: 3, consumerConnected: true });
      return now;
    });
    expect(queue.acknowledgedCount).toBe(3);
    const health = await read<{ status: string; uptime: number }>(adaptor, '/health');
    expect([health.status, health.uptime > 0]).toEqual(['UP', true]);
    const metrics = await read<{ adaptorMetricsDetail: { type: string; dateCount: { count: number }[] }[] }>(
      adaptor,
      '/metrics?filters=type:RECEIVED,period:ALL_TIME',
    );
    expect(metrics.adaptorMetricsDetail.flatMap(({ dateCount }) => dateCount.map(({ count }) => count))).toEqual([3]);
    const { code } = await read<{ code: string }>(adaptor, '/shutdown-code');
    const shutdown = await doors.dgs.rest<{ acknowledged: boolean }>('PUT', `${path(adaptor)}/shutdown?code=${code}`);
    expect(requireStatus(shutdown, 200).body.acknowledged).toBe(false);
    await end(adaptor);
  });

  it('receive only data that governance allows', async () => {
    const receiver = await openReceiver();
    const chain = `/zones/${south}/inbound-acls`;
    const acl = requireStatus(
      await doors.dgs.rest('POST', chain, { post: 'DENY', put: 'DENY', properties: ['secret'] }),
      201,
    ).body;
    const adaptor = await addAdaptor('governed', { url: receiver.url });
    await untilState(adaptor, 'STARTED');
    await publish('b', 1, { secret: 'x' });
    await eventually(() => expect(receiver.received.map(jsonOf)).toEqual([{ id: 'b', n: 1 }]));
    requireStatus(await doors.dgs.rest('DELETE', `${chain}/${acl.uuid}`), 204);
    await end(adaptor);
  });

  it('queue events while they are paused, and continue in order', async () => {
    const receiver = await openReceiver();
    const adaptor = await addAdaptor('paused', { url: receiver.url });
    await untilState(adaptor, 'STARTED');
    expect(await command(adaptor, 'PAUSE')).toBe('PAUSING');
    await untilState(adaptor, 'PAUSED');
    for (let n = 1; n <= 5; n += 1) await publish('c', n);
    await eventually(async () => expect(await read(adaptor, '/queue')).toMatchObject({ messageCount: 5 }));
    expect([receiver.received, await read(adaptor, '/health')]).toEqual([
      [],
      expect.objectContaining({ status: 'UP' }),
    ]);
    expect(await command(adaptor, 'PLAY')).toBe('STARTING');
    await eventually(() => expect(countsOf(receiver.received, 'c')).toEqual([1, 2, 3, 4, 5]));
    await untilState(adaptor, 'STARTED');
    await end(adaptor);
  });

  it.each([
    [
      'answers 500',
      (_: unknown, response: { writeHead(n: number): { end(): unknown } }) => void response.writeHead(500).end(),
      'the receiver answered 500',
    ],
    ['hangs', () => undefined, 'the receiver did not answer in time'],
    [
      'redirects to a private address',
      (_: unknown, response: { writeHead(n: number, h: object): { end(): unknown } }) =>
        void response.writeHead(307, { location: 'http://10.0.0.1/' }).end(),
      'the receiver answered 307; redirects are not followed',
    ],
  ])('wait in ERROR while the receiver %s, and lose nothing', async (_, answer, error) => {
    const receiver = await openReceiver();
    receiver.become(answer);
    const adaptor = await addAdaptor(`failing ${error.slice(-12)}`, { url: receiver.url });
    await untilState(adaptor, 'STARTED');
    for (let n = 1; n <= 3; n += 1) await publish('d', n);
    await untilState(adaptor, 'ERROR', expect.stringContaining(`${error} (attempt `));
    expect(await read(adaptor, '/queue')).toMatchObject({ messageCount: 3, consumerConnected: false });
    expect((await read<{ status: string }>(adaptor, '/health')).status).toBe('DOWN');
    receiver.become();
    const before = receiver.received.length;
    await eventually(async () => expect(await read(adaptor, '/queue')).toMatchObject({ messageCount: 0 }));
    expect(countsOf(receiver.received.slice(before), 'd')).toEqual([1, 2, 3]);
    await untilState(adaptor, 'STARTED');
    await end(adaptor);
  });

  it('stop after the last attempt, and start again with PLAY', async () => {
    const receiver = await openReceiver();
    receiver.become((_, response) => void response.writeHead(503).end());
    const adaptor = await addAdaptor('given up', { url: receiver.url });
    await untilState(adaptor, 'STARTED');
    await publish('e', 1);
    await untilState(adaptor, 'ERROR', 'the receiver answered 503 (attempt 4 of 4); PLAY tries again');
    expect(receiver.received).toHaveLength(4);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    receiver.become();
    expect(await command(adaptor, 'PLAY')).toBe('STARTING');
    await untilState(adaptor, 'STARTED');
    await eventually(() => expect(receiver.received).toHaveLength(5));
    await end(adaptor);
  });

  it('stop at once after 410, and continue at a new address', async () => {
    const [gone, next] = [await openReceiver(), await openReceiver()];
    gone.become((_, response) => void response.writeHead(410).end());
    const adaptor = await addAdaptor('moved', { url: gone.url });
    await untilState(adaptor, 'STARTED');
    await publish('f', 1);
    await untilState(adaptor, 'ERROR', 'the receiver answered 410; PLAY tries again');
    const { changeVersion } = await read(adaptor);
    const metadata = { url: next.url };
    requireStatus(await doors.dgs.rest('PATCH', path(adaptor), { metadata, changeVersion }), 200);
    await eventually(() => expect(countsOf(next.received, 'f')).toEqual([1]));
    await untilState(adaptor, 'STARTED');
    expect(gone.received).toHaveLength(1);
    await end(adaptor);
  });

  it('make a data issue of a message that the receiver refuses, and send it again on request', async () => {
    const receiver = await openReceiver();
    receiver.become((request, response) => void response.writeHead(idOf(request) === 'g' ? 422 : 204).end());
    const adaptor = await addAdaptor('refusing', { url: receiver.url });
    await untilState(adaptor, 'STARTED');
    await publish('g', 1);
    await publish('h', 1);
    await eventually(() => expect(countsOf(receiver.received, 'h')).toEqual([1]));
    const issues = `/zones/${south}/issues?filters=adaptor:${adaptor.uuid}`;
    const issue = await eventually(async () => {
      const { body } = await doors.dgs.rest<{ issues: Resource[] }>('GET', issues);
      const [found] = body.issues;
      if (found === undefined) throw new Error('no issue');
      return found;
    });
    expect(issue).toMatchObject({ exception: 'ADAPTOR', errors: [{ detail: 'the receiver answered 422' }] });
    expect((await read(adaptor))['state']).toBe('STARTED');
    await eventually(async () => expect(await read(adaptor, '/queue')).toMatchObject({ messageCount: 0 }));
    receiver.become();
    const before = receiver.received.length;
    const closing = { status: 'CLOSED', retry: true, changeVersion: issue.changeVersion };
    requireStatus(await doors.dgs.rest('PATCH', `/zones/${south}/issues/${issue.uuid}`, closing), 200);
    await eventually(() => expect(countsOf(receiver.received.slice(before), 'g')).toEqual([1]));
    await end(adaptor);
  });

  it('accept an answer of 10 MB as a delivery, and read no more of it than necessary', async () => {
    const receiver = await openReceiver();
    receiver.become((_, response) => void response.end(Buffer.alloc(10_485_760)));
    const adaptor = await addAdaptor('large answers', { url: receiver.url });
    await untilState(adaptor, 'STARTED');
    for (let n = 1; n <= 3; n += 1) await publish('i', n);
    await eventually(() => expect(countsOf(receiver.received, 'i')).toEqual([1, 2, 3]));
    await eventually(async () => expect(await read(adaptor, '/queue')).toMatchObject({ messageCount: 0 }));
    await end(adaptor);
  });

  it('receive nothing while they are inactive', async () => {
    const receiver = await openReceiver();
    const adaptor = await addAdaptor('inactive', { url: receiver.url });
    await untilState(adaptor, 'STARTED');
    const setActive = async (active: boolean): Promise<void> => {
      const { changeVersion } = await read(adaptor);
      requireStatus(await doors.dgs.rest('PATCH', path(adaptor), { active, changeVersion }), 200);
    };
    await setActive(false);
    await untilState(adaptor, 'DOWN');
    await setActive(true);
    await untilState(adaptor, 'STARTED');
    await publish('j', 1);
    await eventually(() => expect(countsOf(receiver.received, 'j')).toEqual([1]));
    await end(adaptor);
  });

  it('are refused with the place of each fault when their registration is not valid', async () => {
    const bad = {
      name: 'bad',
      adaptorTypeUuid: webhookType,
      capabilities: [...capabilities, { domainName: domain, versionNumber: 1, action: 'GET' }],
      metadata: {
        url: 'ftp://example.org',
        httpHeaders: [{ name: 'Host', value: 'x' }],
        oauth2Registration: { clientId: 'a', clientSecret: 'enigma' },
      },
    };
    const answer = await doors.dgs.rest<{ errors: { pointer: string }[] }>('POST', `/zones/${south}/adaptors`, bad);
    expect([answer.status, answer.body.errors.map(({ pointer }) => pointer)]).toEqual([
      400,
      ['/metadata/url', '/metadata/httpHeaders/0/name', '/metadata/oauth2Registration', '/capabilities/3/action'],
    ]);
    expect(answer.text).not.toContain('enigma');
  });

  it('lose nothing and keep the order of each record when the service is killed in the middle', async () => {
    const receiver = await openReceiver();
    receiver.become((_, response) => void setTimeout(() => response.writeHead(204).end(), 20));
    const adaptor = await addAdaptor('killed', { url: receiver.url });
    await untilState(adaptor, 'STARTED');
    const records = ['k', 'l', 'm', 'n'];
    const send = async (from: number, to: number): Promise<void> => {
      for (let n = from; n <= to; n += 1) for (const id of records) await publish(id, n);
    };
    await send(1, 40);
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(40));
    await doors.service.kill();
    const atDeath = receiver.received.length;
    expect(atDeath).toBeLessThan(160);
    await doors.service.start();
    await send(41, 50);
    const expected = Array.from({ length: 50 }, (_, index) => index + 1);
    await eventually(() => {
      for (const id of records) expect(countsOf(withoutRepeats(receiver.received), id)).toEqual(expected);
    });
    await eventually(async () => expect(await read(adaptor, '/queue')).toMatchObject({ messageCount: 0 }));
    await untilState(adaptor, 'STARTED');
  }, 120_000);
});
