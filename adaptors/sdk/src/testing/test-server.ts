import { randomUUID } from 'node:crypto';
import type { ServerBus } from '@fds/adaptor-bus';
import {
  acknowledged,
  assigned,
  type Attributes,
  buildMessage,
  type CarriedEvent,
  carriedEvents,
  checkedForTimeout,
  checkEvent,
  type Channel,
  createSender,
  emptyInstanceBook,
  type DownDataEvent,
  fits,
  heardInstance,
  type Hello,
  type Link,
  type Message,
  type MessageType,
  meetSender,
  metReceiver,
  type OpsRequest,
  parseMessage,
  type Position,
  type Refusal,
  receive,
  receivedBatch,
  type Reception,
  type Sender,
  serverSource,
  type StatusReport,
  startPosition,
  type UpDataEvent,
} from '@fds/adaptor-protocol';
import { nextPayloads } from '../conformance/next-payloads.js';

/** State of the server. It outlives the bus, like a database. */
export interface ServerMemory {
  down: { sender: Sender; bodies: DownDataEvent[] };
  up: { position: Position; events: UpDataEvent[] };
}

export const createServerMemory = (): ServerMemory => ({
  down: { sender: createSender({ epoch: randomUUID(), acked: 0, last: 0 }), bodies: [] },
  up: { position: startPosition, events: [] },
});

/** The server's side for one adaptor. It uses the sender and receiver of the protocol. */
export interface TestServer {
  readonly states: string[];
  /** The reports of the state, and of the faults of sources, in the order of their arrival. */
  readonly said: (StatusReport | { readonly source: string })[];
  readonly hellos: Hello[];
  readonly answers: Message<'up/ops'>['data'][];
  /** Links from `up/data`. */
  readonly links: Link[];
  /** Links from `up/link`. */
  readonly unsequencedLinks: Link[];
  readonly assemblies: Message<'up/rsp'>['data'][];
  readonly duplicates: () => number;
  /** The number of events in each message on `up/data`. */
  readonly upSizes: number[];
  /** The number of events in each message on `down/data`. */
  readonly downSizes: number[];
  send(events: readonly DownDataEvent[]): void;
  operate(request: Omit<OpsRequest, 'requestId'>): string;
  /** Sends the notice that an event became an issue. */
  refuse(refusal: Refusal): void;
  request(data: Message<'down/req'>['data'], attributes?: Partial<Attributes>): void;
  /** Publishes any event to `down/data`, for duplicates and gaps. */
  sendRaw(event: DownDataEvent, sequence: number): void;
  /** Publishes any text to `down/data`. */
  sendText(text: string): void;
  /** Handles no report on `up/ops` until the returned function is called. */
  holdReports(): () => void;
  /** Sends another hello in answer to the last received hello, with positions that may be outdated. */
  sayHello(overtaken: Partial<Hello>): void;
  close(): void;
}

export const createTestServer = (
  bus: ServerBus,
  adaptorUuid: string,
  memory: ServerMemory,
  {
    startState = 'PLAY',
    usesBatches = true,
  }: { readonly startState?: 'PLAY' | 'PAUSE'; readonly usesBatches?: boolean } = {},
): TestServer => {
  const states: string[] = [];
  const said: TestServer['said'] = [];
  const hellos: Hello[] = [];
  const answers: Message<'up/ops'>['data'][] = [];
  const links: Link[] = [];
  const unsequencedLinks: Link[] = [];
  const assemblies: Message<'up/rsp'>['data'][] = [];
  const upSizes: number[] = [];
  const downSizes: number[] = [];
  let duplicates = 0;
  let lastHello: string | undefined;
  const attributes = (): Omit<Attributes, 'type'> => ({
    id: randomUUID(),
    source: serverSource,
    time: new Date().toISOString(),
  });
  const put = <C extends Channel & `down/${string}`>(channel: C, message: Message<C>): void => {
    const kind = channel.slice('down/'.length) as 'data';
    bus.publish(adaptorUuid, kind, buildMessage(channel, message)).catch(() => undefined);
  };
  const on = <C extends Channel & `up/${string}`>(
    channel: C,
    handle: (message: Message<C>) => void | Promise<void>,
  ): void =>
    bus.handle(channel.slice('up/'.length) as 'data', async (message) => {
      const parsed = parseMessage(channel, message.payload);
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
      await handle(parsed.value);
    });

  const sendData = (data: DownDataEvent, sequence: number): void =>
    put('down/data', {
      ...attributes(),
      type: 'fds.data.v1' satisfies MessageType<'down/data'>,
      partitionkey: data.messageGroup,
      epoch: memory.down.sender.epoch,
      sequence,
      data,
    });
  const pump = (): void => {
    const { sender, bodies } = memory.down;
    const next = nextPayloads(sender, bodies, { stamp: attributes, nowMs: Date.now() });
    memory.down.sender = next.sender;
    for (const payload of next.payloads) {
      downSizes.push(payload.split('"sequence":').length - 1);
      bus.publish(adaptorUuid, 'data', payload).catch(() => undefined);
    }
  };
  const ackUp = (): void => {
    const { epoch, sequence } = memory.up.position;
    if (epoch !== null) put('down/ack', { ...attributes(), type: 'fds.ack.v1', data: { epoch, upto: sequence } });
  };
  const sayHello = (overtaken: Partial<Hello> = {}): void => {
    const { epoch, sequence: applied } = memory.up.position;
    const { epoch: sendEpoch, last: sent } = memory.down.sender;
    const said = attributes();
    const correlationid = lastHello ?? said.id;
    put('down/hello', {
      ...said,
      correlationid,
      type: 'fds.hello.v1',
      data: { epoch, applied, sendEpoch, sent, ...(usesBatches ? { batch: receivedBatch } : {}), ...overtaken },
    });
  };
  const operate = (request: Omit<OpsRequest, 'requestId'>): string => {
    const requestId = randomUUID();
    put('down/ops', { ...attributes(), type: 'fds.ops.v1', data: { ...request, requestId } });
    return requestId;
  };

  let instances = emptyInstanceBook;
  const isSuperseded = ({ instance, state }: StatusReport): boolean => {
    if (state !== 'STARTING' || instance === undefined) return false;
    const { book, by } = heardInstance(instances, instance);
    instances = book;
    if (by === undefined) return false;
    put('down/ops', { ...attributes(), type: 'fds.superseded.v1', data: { instance, by } });
    return true;
  };
  on('up/status', ({ data }) => {
    if (isSuperseded(data)) return;
    states.push(data.state);
    said.push(data);
    if (data.state === 'STARTING') operate({ operation: 'START', state: startState, metadata: {}, capabilities: [] });
  });
  on('up/hello', ({ id, data }) => {
    lastHello = id;
    hellos.push(data);
    memory.up.position = meetSender(memory.up.position, data);
    if (!fits(memory.down.sender, data)) {
      const waiting = memory.down.bodies.slice(memory.down.sender.acked);
      memory.down = { bodies: waiting, sender: createSender({ epoch: randomUUID(), acked: 0, last: waiting.length }) };
    } else {
      const { batch, ...position } = data;
      const receiver = { ...position, batch: usesBatches ? batch : undefined };
      memory.down.sender = metReceiver(memory.down.sender, receiver, Date.now());
    }
    sayHello();
    pump();
  });
  const takeEvent = ({ envelope }: CarriedEvent): Reception => {
    const parsed = envelope.ok ? checkEvent('up/data', envelope.value) : envelope;
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
    const message = parsed.value;
    const reception = receive(memory.up.position, message);
    if (reception === 'APPLY' && message.sequence !== undefined) {
      memory.up.position = { ...memory.up.position, sequence: message.sequence };
      if (message.type === 'fds.link.v1') links.push(...message.data.links);
      else memory.up.events.push(message.data);
    }
    if (reception === 'DUPLICATE') duplicates += 1;
    return reception;
  };
  bus.handle('data', ({ payload }) => {
    const carried = carriedEvents(payload);
    if (!carried.ok) throw new Error(JSON.stringify(carried.faults));
    upSizes.push(carried.value.length);
    if (carried.value.map(takeEvent).includes('GAP')) sayHello();
    else ackUp();
  });
  on('up/ack', ({ data }) => {
    memory.down.sender = acknowledged(memory.down.sender, data, Date.now());
    pump();
  });
  let held: Promise<void> = Promise.resolve();
  on('up/ops', async ({ type, data }) => {
    await held;
    answers.push(data);
    if ('kind' in data && data.kind === 'SOURCE') said.push({ source: data.message });
    if (type !== 'fds.check.v1') return;
    const metadata = { folder: '${CHECKED_FOLDER}' };
    const request = { operation: 'METADATA', requestId: data.requestId, metadata, capabilities: [] } as const;
    put('down/check', { ...attributes(), type: 'fds.ops.v1', data: request });
  });
  on('up/link', ({ data }) => void unsequencedLinks.push(...data.links));
  on('up/rsp', ({ data }) => void assemblies.push(data));

  const timer = setInterval(() => {
    memory.down.sender = checkedForTimeout(memory.down.sender, Date.now());
    pump();
  }, 200);

  return {
    states,
    said,
    hellos,
    answers,
    links,
    unsequencedLinks,
    assemblies,
    duplicates: () => duplicates,
    upSizes,
    downSizes,
    send: (events) => {
      memory.down.bodies.push(...events);
      memory.down.sender = assigned(memory.down.sender, memory.down.bodies.length);
      pump();
    },
    operate,
    refuse: (data) => put('down/ops', { ...attributes(), type: 'fds.refused.v1', data }),
    request: (data, given) => put('down/req', { ...attributes(), ...given, type: 'fds.assembly.request.v1', data }),
    sendRaw: sendData,
    sendText: (text) => void bus.publish(adaptorUuid, 'data', text).catch(() => undefined),
    holdReports: () => {
      let release: () => void = () => undefined;
      held = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
    sayHello,
    close: () => clearInterval(timer),
  };
};
