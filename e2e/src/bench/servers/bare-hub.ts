// A message bus with the software of the embedded broker, and the server's end of the contract for one adaptor: it
// sends START with the given metadata, and acknowledges all events of a turn. It validates, stores and routes nothing.
// With INCOMING it sends the data events of each phase, within the window of the contract, a phase after the acknowledgement of the
// one before it. It prints a JSON line when it sends START, for each event from number FROM on, when it sends the first event of a
// phase, when the last one is acknowledged, and for each error that the adaptor reports.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import {
  acknowledged,
  buildBatch,
  buildMessage,
  carriedEvents,
  checkedForTimeout,
  createSender,
  type DownDataEvent,
  isJsonObject,
  meetSender,
  metReceiver,
  nextMessages,
  nextToSend,
  parseJson,
  parseMessage,
  parseTopic,
  type Position,
  receivedBatch,
  type Sender,
  sentMessages,
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

interface Phase {
  readonly count: number;
  /** `%N%` is the number of the event in its phase, and `%U%` is the same number with twelve digits. */
  readonly data: string;
}
const phases = JSON.parse(process.env['INCOMING'] ?? '[]') as readonly Phase[];
const total = phases.reduce((sum, { count }) => sum + count, 0);

type Answer = 'down/ops' | 'down/hello' | 'down/ack' | 'down/data';
const tell = (line: object): void => console.log(JSON.stringify(line));
const send = (channel: Answer, payload: string): void => {
  const topic = topicOf({ adaptorUuid, channel });
  const packet = { cmd: 'publish', topic, payload, qos: 1, retain: false, dup: false } as const;
  broker.publish(packet, () => undefined);
};
const stamp = () => ({ id: randomUUID(), source: serverSource, time: new Date().toISOString() });
const sendEpoch = randomUUID();
let taken: Position = startPosition;
let sender: Sender = createSender({ epoch: sendEpoch, acked: 0, last: total });
/** The phase that is sent, and the number of events before it. */
let phase = 0;
let before = 0;
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
const eventAt = (sequence: number): DownDataEvent => {
  const number = String(sequence - before);
  const text = (phases[phase]?.data ?? '{}').replaceAll('%N%', number).replaceAll('%U%', number.padStart(12, '0'));
  return JSON.parse(text) as DownDataEvent;
};
const pump = (): void => {
  const range = nextToSend(sender);
  const end = before + (phases[phase]?.count ?? 0);
  if (range === undefined || range.from > end) return;
  if (range.from === before + 1) tell({ phase, sendingMs: monotonicMs() });
  const waiting: { readonly sequence: number; readonly bytes: number; readonly body: string }[] = [];
  for (let sequence = range.from; sequence <= Math.min(range.to, end); sequence += 1) {
    const data = eventAt(sequence);
    const place = { epoch: sendEpoch, sequence, partitionkey: data.messageGroup };
    const body = buildMessage('down/data', { ...stamp(), ...place, type: 'fds.data.v1', data });
    waiting.push({ sequence, bytes: Buffer.byteLength(body), body });
  }
  const messages = nextMessages(sender, waiting);
  const sizes = messages.map((events) => ({
    upto: events.at(-1)?.sequence ?? 0,
    bytes: events.reduce((sum, { bytes }) => sum + bytes, 0),
  }));
  sender = sentMessages(sender, sizes, Date.now());
  for (const events of messages) {
    const bodies = events.map(({ body }) => body);
    const isBatch = bodies.length > 1;
    send('down/data', isBatch ? buildBatch({ ...stamp(), epoch: sendEpoch }, bodies) : (bodies[0] ?? ''));
  }
};
const takeAck = (payload: Uint8Array): void => {
  const message = parseMessage('up/ack', payload);
  if (!message.ok) throw new Error('an unknown acknowledgement');
  sender = acknowledged(sender, message.value.data, Date.now());
  const count = phases[phase]?.count ?? Infinity;
  if (sender.acked === before + count) {
    tell({ phase, appliedMs: monotonicMs() });
    phase += 1;
    before += count;
  }
  pump();
};
setInterval(() => {
  sender = checkedForTimeout(sender, Date.now());
  pump();
}, 200);
const takeHello = (payload: Uint8Array): void => {
  const message = parseMessage('up/hello', payload);
  if (!message.ok) throw new Error('an unknown hello');
  taken = meetSender(taken, message.value.data);
  sender = metReceiver(sender, message.value.data, Date.now());
  const data = { epoch: taken.epoch, applied: taken.sequence, sendEpoch, sent: sender.last, batch: receivedBatch };
  const correlationid = message.value.id;
  send('down/hello', buildMessage('down/hello', { ...stamp(), correlationid, type: 'fds.hello.v1', data }));
  pump();
};
const takeOps = (payload: Uint8Array): void => {
  const message = parseMessage('up/ops', payload);
  if (message.ok && message.value.type === 'fds.adaptor.error.v1') tell({ error: message.value.data.message });
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
    if (channel === 'up/ack') takeAck(bytes);
    if (channel === 'up/ops') takeOps(bytes);
    if (channel === 'up/status') takeStatus(bytes);
    done();
  },
  () => tell({ ready: true }),
);
