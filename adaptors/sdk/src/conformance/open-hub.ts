import { randomUUID } from 'node:crypto';
import { openEmbeddedBroker } from '@fds/adaptor-broker';
import {
  acknowledged,
  assigned,
  type Attributes,
  batchType,
  buildMessage,
  type CarriedEvent,
  carriedEvents,
  checkedForTimeout,
  checkEvent,
  createSender,
  type DownDataEvent,
  emptyInstanceBook,
  fits,
  heardInstance,
  type Fault,
  type Message,
  meetSender,
  metReceiver,
  type OpsRequest,
  parseMessage,
  type Position,
  receive,
  receivedBatch,
  type Reception,
  reportedWaiting,
  serverSource,
  startPosition,
  type StatusReport,
  type WaitingReport,
} from '@fds/adaptor-protocol';
import { createQuestions } from './create-questions.js';
import type { Heard, Hub } from './hub.js';
import { nextPayloads, someTrace } from './next-payloads.js';

export interface HubOptions {
  readonly adaptorUuid?: string;
  readonly capabilities: readonly Record<string, string | number>[];
  readonly metadata: OpsRequest['metadata'];
  readonly domainVersions: OpsRequest['domainVersions'];
  /** Maximum time for an answer of the adaptor. */
  readonly patienceMs: number;
}

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

type UpChannel = 'up/status' | 'up/hello' | 'up/data' | 'up/ack' | 'up/ops' | 'up/link' | 'up/rsp';
type DownChannel = 'down/data' | 'down/ack' | 'down/hello' | 'down/ops' | 'down/req' | 'down/check';

export const openHub = async (options: HubOptions): Promise<Hub> => {
  const { adaptorUuid = randomUUID(), capabilities, domainVersions, patienceMs } = options;
  const secret = randomUUID();
  const broker = await openEmbeddedBroker({
    host: '127.0.0.1',
    port: 0,
    authenticate: async (username, password) =>
      username === adaptorUuid && password === secret ? 'ACCEPTED' : 'REFUSED',
    log: silent,
  });
  const { bus } = broker;
  const heard: Heard = {
    states: [],
    answers: [],
    errors: [],
    waiting: [],
    discovered: [],
    takenNotices: [],
    links: [],
    acks: [],
    hellos: [],
    events: [],
    faults: [],
  };
  let bodies: DownDataEvent[] = [];
  let sender = createSender({ epoch: randomUUID(), acked: 0, last: 0 });
  let up: Position = startPosition;
  let lastHello: string | undefined;
  let isOffered = false;
  let batchesSent = 0;
  let dataDropped = 0;
  let instances = emptyInstanceBook;

  const stamp = (): Omit<Attributes, 'type'> => ({
    id: randomUUID(),
    source: serverSource,
    time: new Date(Date.now() + hub.skewMs).toISOString(),
  });
  const put = <C extends DownChannel>(channel: C, payload: string): void => {
    bus.publish(adaptorUuid, channel.slice('down/'.length) as 'data', payload).catch(() => undefined);
  };
  const questions = createQuestions({
    stamp,
    publish: (attributes, data) => {
      const envelope = { ...attributes, replyinstance: bus.replyInstance };
      put('down/req', buildMessage('down/req', { ...envelope, type: 'fds.assembly.request.v1', data }));
    },
    domainVersionUuid: domainVersions?.[0]?.domainVersionUuid ?? randomUUID(),
    patienceMs,
  });
  const noteFaults = (channel: UpChannel, faults: readonly Fault[]): void => {
    for (const { pointer, detail } of faults) heard.faults.push(`${channel} ${pointer}: ${detail}`);
  };
  const on = <C extends UpChannel>(channel: C, handle: (message: Message<C>) => void): void =>
    bus.handle(channel.slice('up/'.length) as 'data', ({ payload }) => {
      const parsed = parseMessage(channel, payload);
      if (parsed.ok) return handle(parsed.value);
      noteFaults(channel, parsed.faults);
    });

  const messageOf = (sequence: number): string => {
    const data = bodies[sequence - 1];
    if (data === undefined) throw new Error(`event ${sequence} was not queued`);
    const { epoch } = sender;
    const numbering = { partitionkey: data.messageGroup, subject: data.drUuid, epoch, sequence };
    return buildMessage('down/data', { ...stamp(), type: 'fds.data.v1', traceparent: someTrace, ...numbering, data });
  };
  const pump = (): void => {
    const next = nextPayloads(sender, bodies, { stamp, nowMs: performance.now() });
    sender = next.sender;
    for (const payload of next.payloads) {
      if (payload.includes(`"type":"${batchType}"`)) batchesSent += 1;
      put('down/data', payload);
    }
  };
  const renewSender = (): void => {
    bodies = bodies.slice(sender.acked);
    sender = createSender({ epoch: randomUUID(), acked: 0, last: bodies.length });
  };
  const sayHello = (): void => {
    const said = stamp();
    isOffered = hub.usesBatches;
    const batch = isOffered ? { batch: receivedBatch } : {};
    const data = { epoch: up.epoch, applied: up.sequence, sendEpoch: sender.epoch, sent: sender.last, ...batch };
    const correlationid = lastHello ?? said.id;
    put('down/hello', buildMessage('down/hello', { ...said, correlationid, type: 'fds.hello.v1', data }));
  };
  const acknowledgeUp = (): void => {
    const { epoch, sequence: upto } = up;
    if (epoch === null) return;
    put('down/ack', buildMessage('down/ack', { ...stamp(), type: 'fds.ack.v1', data: { epoch, upto } }));
  };
  const operate = (request: Omit<OpsRequest, 'requestId'>): string => {
    const requestId = randomUUID();
    const data = { ...request, requestId };
    put('down/ops', buildMessage('down/ops', { ...stamp(), type: 'fds.ops.v1', correlationid: requestId, data }));
    return requestId;
  };
  const configuration = () => ({
    discoveryMode: hub.discoveryMode,
    capabilities,
    metadata: hub.metadata,
    domainVersions: domainVersions ?? [],
  });
  const answerCheck = (requestId: string): void => {
    const data = { operation: 'METADATA', requestId, ...configuration() } as const;
    put('down/check', buildMessage('down/check', { ...stamp(), type: 'fds.ops.v1', correlationid: requestId, data }));
  };
  const supersededBy = ({ state, instance }: StatusReport): string | undefined => {
    if (state !== 'STARTING') return undefined;
    const { book, by } = heardInstance(instances, instance);
    instances = book;
    return by;
  };

  on('up/status', ({ data }) => {
    heard.states.push(data);
    const by = supersededBy(data);
    if (by !== undefined && data.instance !== undefined) {
      const notice = { instance: data.instance, by };
      put('down/ops', buildMessage('down/ops', { ...stamp(), type: 'fds.superseded.v1', data: notice }));
    } else if (data.state === 'STARTING')
      operate({
        operation: 'START',
        state: hub.startState,
        ...configuration(),
        discovered: heard.discovered.map(({ report: { domain, version } }) => ({ domain, version })),
      });
  });
  on('up/hello', ({ id, data }) => {
    heard.hellos.push(data);
    lastHello = id;
    up = meetSender(up, data);
    const { batch, ...position } = data;
    if (fits(sender, data))
      sender = metReceiver(sender, { ...position, batch: hub.usesBatches ? batch : undefined }, performance.now());
    else renewSender();
    sayHello();
    pump();
  });
  const takeEvent = ({ envelope }: CarriedEvent): Reception | undefined => {
    const parsed = envelope.ok ? checkEvent('up/data', envelope.value) : envelope;
    if (!parsed.ok) {
      noteFaults('up/data', parsed.faults);
      return undefined;
    }
    const message = parsed.value;
    const reception = receive(up, message);
    if (reception !== 'APPLY' || message.sequence === undefined) return reception;
    up = { epoch: up.epoch, sequence: message.sequence };
    if (message.type === 'fds.link.v1') heard.links.push(...message.data.links);
    else heard.events.push({ sequence: message.sequence, event: message.data, acknowledgedBefore: sender.acked });
    return reception;
  };
  bus.handle('data', ({ payload }) => {
    if (!hub.takesData) {
      dataDropped += 1;
      return;
    }
    const carried = carriedEvents(payload);
    if (!carried.ok) return noteFaults('up/data', carried.faults);
    if (carried.value.length > 1 && !isOffered) heard.faults.push('up/data /type: a batch, which was not offered');
    const receptions = carried.value.map(takeEvent);
    if (receptions.includes('GAP')) sayHello();
    else if (receptions.some((reception) => reception !== undefined)) acknowledgeUp();
  });
  on('up/ack', ({ data }) => {
    heard.acks.push(data);
    if (data.epoch === sender.epoch && data.upto > sender.last)
      heard.faults.push(`up/ack /data/upto: ${data.upto} was never sent`);
    sender = acknowledged(sender, data, performance.now());
    pump();
  });
  const takeWaiting = (report: WaitingReport): void => {
    heard.waiting.push(report);
    const neverSent = report.epoch === sender.epoch && Math.max(0, ...report.sequences) > sender.last;
    if (neverSent) heard.faults.push(`up/ops /data/sequences: ${report.sequences.join(', ')} were never sent`);
    sender = reportedWaiting(sender, report).sender;
    pump();
  };
  on('up/ops', (message) => {
    if (message.type === 'fds.adaptor.error.v1') heard.errors.push(message.data);
    else if (message.type === 'fds.refused.ack.v1') heard.takenNotices.push(...message.data.issueUuids);
    else if (message.type === 'fds.ops.answer.v1') heard.answers.push(message.data);
    else if (message.type === 'fds.waiting.v1') takeWaiting(message.data);
    else if (message.type === 'fds.discovered.v1')
      heard.discovered.push({ report: message.data, eventsBefore: heard.events.length });
    else if (message.type === 'fds.check.v1') answerCheck(message.data.requestId);
  });
  on('up/link', ({ data }) => void heard.links.push(...data.links));
  on('up/rsp', ({ data }) => questions.answer(data));

  const timer = setInterval(() => {
    sender = checkedForTimeout(sender, performance.now());
    pump();
  }, 100);

  const hub: Hub = {
    url: `tcp://127.0.0.1:${broker.port}`,
    adaptorUuid,
    secret,
    heard,
    skewMs: 0,
    startState: 'PLAY',
    usesBatches: false,
    metadata: options.metadata ?? {},
    discoveryMode: false,
    takesData: true,
    get dataDropped() {
      return dataDropped;
    },
    get epoch() {
      return sender.epoch;
    },
    get acknowledged() {
      return sender.acked;
    },
    get batchesSent() {
      return batchesSent;
    },
    get assigned() {
      return sender.last;
    },
    send: (events) => {
      bodies.push(...events);
      sender = assigned(sender, bodies.length);
      pump();
    },
    sendRaw: (payload) => put('down/data', payload),
    messageOf,
    sendOps: (payload) => put('down/ops', payload),
    operate,
    configure: () => operate({ operation: 'METADATA', ...configuration() }),
    ask: questions.ask,
    loseMemory: () => {
      up = startPosition;
      renewSender();
    },
    goBack: () => {
      up = { epoch: up.epoch, sequence: 0 };
    },
    disconnect: () => broker.disconnect(adaptorUuid),
    close: async () => {
      clearInterval(timer);
      questions.close();
      await broker.close();
    },
  };
  return hub;
};
