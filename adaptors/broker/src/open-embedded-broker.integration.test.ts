import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import mqtt, { type MqttClient } from 'mqtt';
import { maxPayloadBytes } from '@fds/adaptor-protocol';
import { type EmbeddedBroker, openEmbeddedBroker, type Verdict } from './open-embedded-broker.js';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined };

const occurs = (client: MqttClient, event: 'connect' | 'close'): Promise<void> =>
  new Promise((resolve) => {
    client.once(event, () => resolve());
  });

describe('the embedded broker', () => {
  const adaptorUuid = randomUUID();
  const up = `fds/v1/a/${adaptorUuid}/up`;
  let verdict: Verdict;
  let broker: EmbeddedBroker;
  let clients: MqttClient[];

  const connect = (clientId: string, username = adaptorUuid): MqttClient => {
    const client = mqtt.connect(`tcp://127.0.0.1:${broker.port}`, {
      clientId,
      username,
      password: 'secret',
      reconnectPeriod: 0,
    });
    client.on('error', () => undefined);
    clients.push(client);
    return client;
  };
  const connected = async (role: 'ops' | 'data' = 'data'): Promise<MqttClient> => {
    const client = connect(`${adaptorUuid}-${role}`);
    await occurs(client, 'connect');
    return client;
  };
  const refusal = (client: MqttClient): Promise<unknown> =>
    new Promise((resolve) => {
      client.once('error', (error) => resolve('code' in error ? error.code : error.message));
    });

  beforeEach(async () => {
    verdict = 'ACCEPTED';
    clients = [];
    broker = await openEmbeddedBroker({
      host: '127.0.0.1',
      port: 0,
      authenticate: async () => verdict,
      log: silent,
    });
  });
  afterEach(async () => {
    for (const client of clients) client.end(true);
    await broker.close();
  });

  it.each([
    ['REFUSED', 4],
    ['UNAVAILABLE', 3],
  ] as const)('answers credentials that are %s with return code %i', async (given, code) => {
    verdict = given;
    expect(await refusal(connect(`${adaptorUuid}-ops`))).toBe(code);
  });

  it.each(['anything', `${adaptorUuid}-other`, `${randomUUID()}-ops`])('refuses the client id %s', async (clientId) => {
    expect(await refusal(connect(clientId))).toBe(5);
  });

  it.each([
    `fds/v1/a/${randomUUID()}/down/#`,
    'fds/v1/a/+/down/data',
    '#',
    `$share/g/fds/v1/a/${adaptorUuid}/down/data`,
  ])('refuses a subscription to %s', async (topic) => {
    const client = await connected();
    await expect(client.subscribeAsync(topic, { qos: 1 })).rejects.toThrow();
  });

  it.each([
    [`fds/v1/a/${randomUUID()}/up/data`, 'x', false],
    [`fds/v1/a/${adaptorUuid}/down/data`, 'x', false],
    [`${up}/unknown`, 'x', false],
    [`${up}/data`, 'x', true],
    [`${up}/data`, 'x'.repeat(maxPayloadBytes + 1), false],
  ])('closes the connection of a client that publishes a forbidden message: %s', async (topic, payload, retain) => {
    const client = await connected();
    client.publish(topic, payload, { qos: 1, retain });
    await occurs(client, 'close');
  });

  it('acknowledges a data event after its handler', async () => {
    const order: string[] = [];
    let release = (): void => undefined;
    const commit = new Promise<void>((resolve) => {
      release = resolve;
    });
    broker.bus.handle('data', async () => {
      await commit;
      order.push('committed');
    });
    const client = await connected();
    const acknowledged = client.publishAsync(`${up}/data`, '{}', { qos: 1 }).then(() => order.push('acknowledged'));
    release();
    await acknowledged;
    expect(order).toEqual(['committed', 'acknowledged']);
  });

  it('does not acknowledge a data event whose handler failed', async () => {
    broker.bus.handle('data', async () => {
      throw new Error('the database is gone');
    });
    const client = await connected();
    let acknowledged = false;
    client.publish(`${up}/data`, '{}', { qos: 1 }, (error) => {
      acknowledged = error === undefined || error === null;
    });
    await occurs(client, 'close');
    expect(acknowledged).toBe(false);
  });

  it('hands over the last will when a connection breaks', async () => {
    const will = { topic: `${up}/status`, payload: Buffer.from('{"down":true}'), qos: 1 as const, retain: true };
    const said = new Promise<string>((resolve) => {
      broker.bus.handle('status', ({ payload }) => resolve(Buffer.from(payload).toString()));
    });
    const client = mqtt.connect(`tcp://127.0.0.1:${broker.port}`, {
      clientId: `${adaptorUuid}-ops`,
      username: adaptorUuid,
      password: 'secret',
      reconnectPeriod: 0,
      will,
    });
    clients.push(client);
    client.on('error', () => undefined);
    await occurs(client, 'connect');
    client.stream.destroy();
    expect(await said).toBe('{"down":true}');
  });

  it.each([
    ['says good-bye', false],
    ['breaks off', true],
  ])('reports DOWN for an adaptor without a last will that %s', async (_name, isForced) => {
    const said = new Promise<string>((resolve) => {
      broker.bus.handle('status', ({ payload }) => resolve(Buffer.from(payload).toString()));
    });
    const client = await connected('ops');
    client.end(isForced);
    expect(JSON.parse(await said)).toMatchObject({ type: 'fds.status.v1', data: { state: 'DOWN' } });
  });

  it('sends no last will for the data client, and reports DOWN before the messages of a client that takes over', async () => {
    const said: string[] = [];
    const started = new Promise<void>((resolve) => {
      broker.bus.handle('status', async ({ payload }) => {
        const { data } = JSON.parse(Buffer.from(payload).toString()) as { data: { state: string } };
        said.push(data.state);
        if (data.state === 'STARTING') resolve();
      });
    });
    const data = await connected('data');
    await data.endAsync();
    await connected('ops');
    const successor = await connected('ops');
    successor.publish(`${up}/status`, '{"data":{"state":"STARTING"}}', { qos: 1 });
    await started;
    expect(said).toEqual(['DOWN', 'STARTING']);
  });

  it('ends the live sessions of an adaptor on demand', async () => {
    const [ops, data] = [await connected('ops'), await connected('data')];
    const closed = Promise.all([occurs(ops, 'close'), occurs(data, 'close')]);
    broker.disconnect(adaptorUuid);
    await closed;
  });
});
