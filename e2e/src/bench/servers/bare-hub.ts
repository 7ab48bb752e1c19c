// A message bus with the embedded broker's software, and the other end of the contract for one adaptor: START with the
// metadata that it is given, and an acknowledgement of all events of a turn. It validates, stores and routes nothing.
// Prints a JSON line when it sends START, and one for each event from number FROM on.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import {
  buildMessage,
  carriedEvents,
  isJsonObject,
  meetSender,
  parseJson,
  parseMessage,
  parseTopic,
  type Position,
  receivedBatch,
  serverSource,
  startPosition,
  topicOf,
} from '@fds/adaptor-protocol';
import { Aedes, type PublishPacket } from 'aedes';
import { monotonicMs } from '../receiver/monotonic-ms.js';
import { requireSetting } from '../../programs/require-setting.js';

const adaptorUuid = requireSetting('ADAPTOR_UUID');
const from = Number(requireSetting('FROM'));
const start = parseJson(requireSetting('START'));
if (!isJsonObject(start)) throw new Error('START is not an object');

const broker = await Aedes.createBroker({ concurrency: 5_000, drainTimeout: 5_000 });
const server = createServer({ noDelay: true }, (socket) => broker.handle(socket));
await new Promise<void>((resolve) => {
  server.listen(Number(requireSetting('PORT')), '127.0.0.1', resolve);
});

type Answer = 'down/ops' | 'down/hello' | 'down/ack';
const tell = (line: object): void => console.log(JSON.stringify(line));
const send = (channel: Answer, payload: string): void => {
  const topic = topicOf({ adaptorUuid, channel });
  const packet = { cmd: 'publish', topic, payload, qos: 1, retain: false, dup: false } as const;
  broker.publish(packet, () => undefined);
};
const stamp = () => ({ id: randomUUID(), source: serverSource, time: new Date().toISOString() });
const sendEpoch = randomUUID();
let taken: Position = startPosition;
let isAcknowledging = false;

const acknowledge = (): void => {
  isAcknowledging = false;
  const { epoch, sequence: upto } = taken;
  if (epoch !== null)
    send('down/ack', buildMessage('down/ack', { ...stamp(), type: 'fds.ack.v1', data: { epoch, upto } }));
};

const takeStatus = (payload: Uint8Array): void => {
  const message = parseMessage('up/status', payload);
  if (!message.ok) throw new Error('an unknown state');
  if (message.value.data.state !== 'STARTING') return;
  tell({ startedMs: monotonicMs() });
  const operation = { operation: 'START', requestId: randomUUID(), state: 'PLAY', discoveryMode: false } as const;
  send('down/ops', buildMessage('down/ops', { ...stamp(), type: 'fds.ops.v1', data: { ...operation, ...start } }));
};
const takeHello = (payload: Uint8Array): void => {
  const message = parseMessage('up/hello', payload);
  if (!message.ok) throw new Error('an unknown hello');
  taken = meetSender(taken, message.value.data);
  const data = { epoch: taken.epoch, applied: taken.sequence, sendEpoch, sent: 0, batch: receivedBatch };
  const correlationid = message.value.id;
  send('down/hello', buildMessage('down/hello', { ...stamp(), correlationid, type: 'fds.hello.v1', data }));
};
const takeData = (payload: Uint8Array): void => {
  const carried = carriedEvents(payload);
  if (!carried.ok) throw new Error('an unknown message');
  for (const { numbering } of carried.value) {
    if (numbering?.sequence !== taken.sequence + 1) continue;
    taken = { epoch: taken.epoch, sequence: numbering.sequence };
    if (numbering.sequence >= from) tell({ sequence: numbering.sequence, atMs: monotonicMs() });
  }
  if (isAcknowledging) return;
  isAcknowledging = true;
  setImmediate(acknowledge);
};

broker.subscribe(
  topicOf({ adaptorUuid, channel: 'up/data' }).replace(/data$/, '#'),
  ({ topic, payload }: PublishPacket, done: () => void) => {
    const channel = parseTopic(topic)?.channel;
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    if (channel === 'up/data') takeData(bytes);
    if (channel === 'up/hello') takeHello(bytes);
    if (channel === 'up/status') takeStatus(bytes);
    done();
  },
  () => tell({ ready: true }),
);
