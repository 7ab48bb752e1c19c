import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@fds/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requireStatus } from '../harness/catalogue.js';
import { setUpDoors } from './set-up-doors.js';
import { uniqueName } from './unique-name.js';

interface Message {
  readonly messageUuid: string;
  readonly webhookId: string;
  readonly status: string;
  readonly attempts: readonly { readonly outcome: string }[];
}

interface Arrived {
  readonly id: string;
  readonly body: {
    readonly action: string;
    readonly resource: string;
    readonly type: string;
    readonly data: { readonly name: string };
  };
}

describe('webhook receivers', () => {
  const { doors } = setUpDoors({ FDS_WEBHOOK_ALLOW_PRIVATE: 'true', FDS_WEBHOOK_LEASE_SECONDS: '2' });
  const arrived: Arrived[] = [];
  let answer: (response: ServerResponse) => void = (response) => response.writeHead(200).end();
  let server: Server;
  let path: string;
  let begin: number;

  const untilArrived = (count: number): Promise<void> =>
    eventually(
      async () => {
        const ids = new Set(arrived.map(({ id }) => id));
        if (ids.size < count) throw new Error(`${ids.size} messages have arrived`);
      },
      { deadlineMs: 30_000 },
    );
  const createZones = async (count: number): Promise<string[]> => {
    const names = Array.from({ length: count }, () => uniqueName('zone'));
    for (const name of names) requireStatus(await doors.admin.rest('POST', '/zones', { name }), 201);
    return names;
  };
  const messages = async (search = ''): Promise<readonly Message[]> =>
    requireStatus(
      await doors.admin.rest<{ readonly messages: readonly Message[] }>('GET', `${path}/messages${search}`),
      200,
    ).body.messages;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Arrived['body'];
        arrived.push({ id: String(request.headers['webhook-id']), body });
        answer(response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const callback = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const events = [{ resource: '/zones/?', actions: ['POST'] }];
    begin = Date.now();
    const registration = { callback, callbackType: 'WEB_HOOK', events };
    requireStatus(await doors.admin.rest('PUT', '/notifications', registration), 204);
    const { notifications } = requireStatus(
      await doors.admin.rest<{ readonly notifications: readonly { readonly notificationId: string }[] }>(
        'GET',
        '/notifications',
      ),
      200,
    ).body;
    path = `/notifications/${notifications[0]?.notificationId}`;
  }, 120_000);
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('get changes from other doors, and their user sees every attempt', async () => {
    const [name] = await createZones(1);
    await untilArrived(1);
    expect(arrived[0]?.body).toMatchObject({ action: 'POST', type: 'Zone', data: { name } });
    expect(arrived[0]?.body.resource).toMatch(new RegExp(`^${doors.service.baseUrl}/api/zones/[0-9a-f-]+$`));
    await eventually(async () => {
      const from = Date.now() - 600_000;
      expect(await messages(`?filters=status:DELIVERED,from:${from},to:${from + 1_200_000}&size=10`)).toMatchObject([
        { webhookId: arrived[0]?.id, status: 'DELIVERED', attempts: [{ outcome: 'DELIVERED' }] },
      ]);
    });
  });

  it('get messages again: a single one, or all of a time range', async () => {
    const [{ messageUuid } = { messageUuid: '' }] = await messages();
    const redeliver = (body: object) =>
      doors.admin.rest<{ readonly messages: number }>('POST', `${path}/redeliveries`, body);
    expect(requireStatus(await redeliver({ messageUuid }), 202).body).toEqual({ messages: 1 });
    await eventually(async () => expect(arrived).toHaveLength(2));
    await eventually(async () => expect((await messages('?filters=status:QUEUED')).length).toBe(0));
    expect(requireStatus(await redeliver({ from: begin }), 202).body).toEqual({ messages: 1 });
    await eventually(async () => expect(arrived).toHaveLength(3));
    expect(new Set(arrived.map(({ id }) => id)).size).toBe(1);
    expect((await redeliver({})).status).toBe(400);
  });

  it('get a new secret', async () => {
    const { secret } = requireStatus(
      await doors.admin.rest<{ readonly secret: string }>('POST', `${path}/secret`),
      200,
    ).body;
    expect(secret).toMatch(/^whsec_/);
  });

  it('get the next message after their user skipped a message that they refuse', async () => {
    const before = arrived.length;
    answer = (response) => response.writeHead(503, { 'retry-after': '3600' }).end();
    await createZones(1);
    await eventually(async () => {
      expect(await messages('?filters=status:QUEUED')).toMatchObject([{ attempts: [{ outcome: 'FAILED' }] }]);
    });
    const [{ messageUuid } = { messageUuid: '' }] = await messages('?filters=status:QUEUED');
    const [next] = await createZones(1);
    answer = (response) => response.writeHead(200).end();
    expect((await doors.admin.rest('DELETE', `${path}/messages/${messageUuid}?force=true`)).status).toBe(400);
    // 409 while an attempt is under way
    await eventually(async () =>
      requireStatus(await doors.admin.rest('DELETE', `${path}/messages/${messageUuid}`), 204),
    );
    await eventually(async () => expect(arrived.slice(before).map(({ body }) => body.data.name)).toContain(next));
    await eventually(async () => expect(await messages('?filters=status:QUEUED')).toEqual([]));
  });

  it('get every message, in order and with its id, when the service is killed while it sends', async () => {
    const before = new Set(arrived.map(({ id }) => id)).size;
    const start = arrived.length;
    // messages are being sent one after the other for some time
    answer = (response) => setTimeout(() => response.writeHead(200).end(), 40);
    const names = await createZones(40);
    await untilArrived(before + 10);
    await doors.service.kill();
    await doors.service.start();
    await untilArrived(before + 40);
    const firsts = [...new Map(arrived.slice(start).map((message) => [message.id, message])).values()];
    expect(firsts.map(({ body }) => body.data.name)).toEqual(names);
    await eventually(async () => expect((await messages('?filters=status:DELIVERED&size=100')).length).toBe(42), {
      deadlineMs: 20_000,
    });
  }, 120_000);
});
