// Receives messages, as an adaptor or as a bare client, and records when each arrived. Its parent process controls it.
import { stringifyJson, type JsonObject } from '@fds/adaptor-protocol';
import { startAdaptor } from '@fds/adaptor-sdk';
import mqtt from 'mqtt';
import type { Socket } from 'node:net';
import { monotonicMs } from './monotonic-ms.js';
import type { Reception, ReceiverOrder, ReceiverReport } from './receiver-order.js';

let expected = Infinity;
let atMs: number[] = [];
let received: (JsonObject | Buffer)[] = [];

const tell = (report: ReceiverReport): void => void process.send?.(report);

const reportWhenComplete = (): void => {
  if (received.length < expected) return;
  // texts are only created here, so that this does not slow down the measurement
  const bodies = received.map((body) => (Buffer.isBuffer(body) ? body.toString() : stringifyJson(body)));
  tell({ kind: 'RECEIVED', atMs, bodies });
  [expected, atMs, received] = [Infinity, [], []];
};

const note = (body: JsonObject | Buffer): void => {
  atMs.push(monotonicMs());
  received.push(body);
  reportWhenComplete();
};

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

const open = async (reception: Reception): Promise<void> => {
  if (reception.kind === 'ADAPTOR') {
    const apply = ({ json }: { readonly json: JsonObject }): void => note(json);
    const adaptor = await startAdaptor({ handlers: { apply }, properties: reception.properties, log: silent });
    process.once('disconnect', () => void adaptor.stop().finally(() => process.exit()));
    return;
  }
  const client = await mqtt.connectAsync(reception.url, { protocolVersion: 4, reconnectPeriod: 0 });
  (client.stream as Socket).setNoDelay(true);
  client.on('message', (_topic, payload) => note(payload));
  await client.subscribeAsync(reception.topic, { qos: 1 });
  process.once('disconnect', () => process.exit());
};

process.on('message', (order: ReceiverOrder) => {
  if (order.kind === 'OPEN') {
    void open(order.reception).then(() => tell({ kind: 'OPENED' }));
    return;
  }
  expected = order.messages;
  reportWhenComplete();
});
