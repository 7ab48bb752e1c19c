import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { adaptorSource, buildMessage, clientIdOf, subscriptionsOf, topicOf, type Role } from '@fds/adaptor-protocol';
import mqtt, { type MqttClient } from 'mqtt';
import type { CreatedAdaptor } from './catalogue.js';
import type { Leftovers } from './leftovers.js';

/** The two MQTT clients of an adaptor, without the SDK. */
export interface WireAdaptor {
  readonly ops: MqttClient;
  readonly data: MqttClient;
}

/** Attributes of a new message of the adaptor. */
export const stampOf = (adaptor: CreatedAdaptor) => ({
  id: randomUUID(),
  source: adaptorSource(adaptor.uuid),
  time: new Date().toISOString(),
});

/** Connects one of the clients. It does not reconnect by itself. */
export const connectWireClient = async (busUrl: string, adaptor: CreatedAdaptor, role: Role): Promise<MqttClient> => {
  const client = await mqtt.connectAsync(busUrl, {
    clientId: clientIdOf(adaptor.uuid, role),
    username: adaptor.clientId,
    password: adaptor.clientSecret,
    protocolVersion: 4,
    clean: true,
    reconnectPeriod: 0,
  });
  (client.stream as Socket).setNoDelay(true);
  await client.subscribeAsync([...subscriptionsOf(adaptor.uuid, role)], { qos: 1 });
  return client;
};

/** STARTING is sent again after that long, as the SDK does: the server may lose a report while its database is away. */
const startingEveryMs = 5_000;
const startMs = 60_000;

/** Starts the adaptor as the bus contract requires: STARTING until START comes, then STARTED. */
export const reportStarted = async (ops: MqttClient, adaptor: CreatedAdaptor): Promise<void> => {
  const topic = topicOf({ adaptorUuid: adaptor.uuid, channel: 'up/status' });
  const sdk = { name: 'fds-wire', version: '1' };
  const report = (state: 'STARTING' | 'STARTED') =>
    ops.publishAsync(
      topic,
      buildMessage('up/status', { ...stampOf(adaptor), type: 'fds.status.v1', data: { state, sdk } }),
      { qos: 1 },
    );
  const ends = new AbortController();
  const started = new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('the server does not answer STARTING')), startMs);
    const again = setInterval(() => {
      report('STARTING').catch(reject);
    }, startingEveryMs);
    ends.signal.addEventListener('abort', () => {
      clearTimeout(late);
      clearInterval(again);
    });
    ops.once('message', () => resolve());
  });
  try {
    await report('STARTING');
    await started;
    await report('STARTED');
  } finally {
    ends.abort();
  }
};

/** Connects both clients and reports STARTED; they end with the leftovers. */
export const connectWireAdaptor = async (
  leftovers: Leftovers,
  busUrl: string,
  adaptor: CreatedAdaptor,
): Promise<WireAdaptor> => {
  const [ops, data] = [
    await connectWireClient(busUrl, adaptor, 'ops'),
    await connectWireClient(busUrl, adaptor, 'data'),
  ];
  leftovers.add(async () => {
    await data.endAsync(true);
    await ops.endAsync(true);
  });
  await reportStarted(ops, adaptor);
  return { ops, data };
};
