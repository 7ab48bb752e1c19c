import { openMqttConnection, type MqttConnection } from '@fds/adaptor-bus';
import {
  type Ack,
  adaptorSource,
  type CarriedEvent,
  carriedEvents,
  checkEvent,
  buildMessage,
  type Channel,
  clientIdOf,
  correlationOf,
  emptyHelloBook,
  heardAck,
  type Hello,
  type Message,
  type Parsed,
  parseMessage,
  parseTopic,
  describeFaults,
  type Fault,
  type Position,
  readHello,
  receivedBatch,
  saidHello,
  type SeenPosition,
  type Standing,
  subscriptionsOf,
  topicOf,
  type WaitingReport,
} from '@fds/adaptor-protocol';
import type { AdaptorLog } from '../adaptor.js';
import type { ReportBody } from '../journal/build-reports.js';
import type { Journal, NewReport } from '../journal/open-journal.js';
import type { AdaptorProperties } from '../properties/adaptor-properties.js';
import { createHeldAcks } from './held-acks.js';
import { createIncoming, type IncomingOptions } from './incoming.js';
import { createKeyedTaskPool } from './create-keyed-task-pool.js';
import { createOutgoing } from './outgoing.js';

/** Both directions of data events, on the `data` client. */
export interface DataChannel {
  readonly connected: boolean;
  /** Messages for the server that it has not acknowledged. */
  readonly unacknowledged: number;
  /** Messages of the server that wait for their system. */
  readonly waitingMessages: number;
  publish(body: string): Promise<void>;
  /** Writes reports to the journal. Reports of the sequence are sent like events. */
  report(bodies: readonly ReportBody[]): void;
  position(): Hello;
  /** The position up to which incoming messages are durably applied. */
  applied(): Position;
  /** The position that an event written now has seen. Before the first hello: position 0, with this end's own epoch. */
  seen(appliedBefore: Position | undefined): SeenPosition;
  /** The incoming messages that wait; undefined before the first hello. */
  waiting(): WaitingReport | undefined;
  /** Tries the waiting messages now. */
  retryWaiting(): void;
  /** A report was sent: the acknowledgements and the hello that waited for it are sent. */
  reportSent(): void;
  /** Connects the `data` client. Does nothing when it is connected. */
  play(): void;
  /** Waits for the events that are being applied, acknowledges them, and closes the `data` client. */
  pause(): Promise<void>;
  /**
   * Closes the `data` client at once. A later `pause` stores the results of running handlers without an
   * acknowledgement.
   */
  disconnect(): Promise<void>;
  /** Writes published events that are not on disk yet. */
  flush(): void;
  /** From now on, `publish` rejects instead of waiting for room in the journal. */
  refuseWaiting(): void;
}

export interface DataChannelOptions {
  readonly properties: AdaptorProperties;
  readonly journal: Journal;
  readonly apply: IncomingOptions['apply'];
  /** Events that the handlers get at the same time for each unit of `concurrency`. */
  readonly together: () => number;
  readonly buildReports: (bodies: readonly ReportBody[]) => readonly NewReport[];
  readonly onStored: (position: Position) => void;
  /** Called when a later position that the server has acknowledged is stored. */
  readonly onAcknowledged: () => void;
  /** Called when other messages wait than before, and when a connection begins. */
  readonly onWaiting: (event: 'CHANGED' | 'CONNECTED') => void;
  readonly onFault: IncomingOptions['onFault'];
  readonly onOver: IncomingOptions['onOver'];
  readonly onFull: IncomingOptions['onFull'];
  /** Called for each message of the server that cannot be read. */
  readonly onUnreadable: () => void;
  readonly log: AdaptorLog;
  readonly newUuid: () => string;
}

/** A hello without an answer is sent again after this time, or earlier for another reason. */
const answerTimeoutMs = 3_000;
const shortPatienceMs = 500;
const tickMs = 250;

export const createDataChannel = (options: DataChannelOptions): DataChannel => {
  const { properties, journal, log, newUuid } = options;
  const { adaptorUuid } = properties;
  let connection: MqttConnection | undefined;
  let timer: NodeJS.Timeout | undefined;
  let helloAtMs = -Infinity;
  /** Id of the last hello while it is unanswered. */
  let unanswered: string | undefined;
  let hellos = emptyHelloBook;
  let patienceMs = answerTimeoutMs;
  /** False after a batch with a wrong frame, until the next `play`: the server then sends the events one by one. */
  let takesBatches = true;
  const nowMs = (): number => performance.now();

  const send = (channel: Channel, payload: string): void => {
    // a lost message leads to a hello, an acknowledgement or a time-out, so the broker's answer is ignored
    connection?.publish(topicOf({ adaptorUuid, channel }), payload).catch(() => undefined);
  };
  const attributes = () => ({ id: newUuid(), source: adaptorSource(adaptorUuid), time: new Date().toISOString() });
  const sendAck = (data: Ack): void =>
    send('up/ack', buildMessage('up/ack', { ...attributes(), type: 'fds.ack.v1', data }));
  // an acknowledgement must not overtake the reports of its messages: the server would show a refused message as applied
  const heldAcks = createHeldAcks(() => journal.unsentReports());
  const acknowledge = (data: Ack): void => {
    if (heldAcks.hold(data)) releaseHeld();
    else sendAck(data);
  };
  /** A hello waits until the reports are sent. */
  let isHelloHeld = false;
  const releaseHeld = (): void => {
    const released = heldAcks.release();
    if (released !== undefined) sendAck(released);
    if (isHelloHeld && connection?.connected === true) hello();
  };

  const position = (): Hello => ({
    ...incoming.position(),
    ...outgoing.position(),
    ...(takesBatches ? { batch: receivedBatch } : {}),
  });
  const standing = (): Standing => ({ sender: outgoing.standing(), receives: incoming.position().epoch });
  // its position acknowledges messages, so it must not overtake their reports either
  const hello = (): void => {
    isHelloHeld = journal.unsentReports() !== undefined;
    if (isHelloHeld) return;
    const said = attributes();
    const correlationid = correlationOf(hellos, said.id);
    helloAtMs = nowMs();
    unanswered = said.id;
    patienceMs = answerTimeoutMs;
    hellos = saidHello(hellos, standing(), said.id);
    send('up/hello', buildMessage('up/hello', { ...said, correlationid, type: 'fds.hello.v1', data: position() }));
  };
  // one hello at a time: the answer to the hello on the way makes the server go back, and answers this question too
  const helloUnlessOnTheWay = (): void => {
    if (unanswered === undefined) hello();
    else patienceMs = shortPatienceMs;
  };

  const outgoing = createOutgoing({
    journal,
    send: (payload) => send('up/data', payload),
    stamp: attributes,
    nowMs,
    newUuid,
    maxEvents: properties.journalMaxEvents,
    onAcknowledged: options.onAcknowledged,
  });
  const extend = (bodies: readonly ReportBody[], write: (reports: readonly NewReport[]) => void): void =>
    outgoing.extend(() => {
      const reports = options.buildReports(bodies);
      write(reports);
      return reports.flatMap(({ channel, body }) => (channel === 'up/data' ? [body] : []));
    });
  const incoming = createIncoming({
    journal,
    tasks: createKeyedTaskPool(() => properties.concurrency * options.together()),
    apply: options.apply,
    limits: { maxWaiting: properties.journalMaxWaiting, maxWaitingBytes: properties.journalMaxWaitingBytes },
    maxTurns: () => properties.concurrency * Math.max(2, options.together()),
    store: (change, bodies) =>
      extend(bodies, (reports) => {
        const kept = bodies.flatMap((body) => ('kept' in body ? [body.kept] : []));
        journal.storeIncoming({ ...change, reports, kept });
      }),
    acknowledge,
    sayHello: helloUnlessOnTheWay,
    onStored: options.onStored,
    onWaiting: () => options.onWaiting('CHANGED'),
    onFault: options.onFault,
    onOver: options.onOver,
    onFull: options.onFull,
    nowMs,
  });

  const met = ({ id, correlationid, data }: Message<'down/hello'>): void => {
    const heard = { id, correlationid, hello: data };
    const read = readHello(hellos, standing(), heard, { nowMs: nowMs(), order: 'ANY_ORDER' });
    hellos = read.book;
    const { own, theirs, ask } = read.verdict;
    // if the server does not correlate, the next hello counts as the answer
    const answers = correlationid === undefined ? unanswered !== undefined : read.verdict.answers;
    if (correlationid === undefined || correlationid === unanswered) unanswered = undefined;
    const outcomes = [theirs === 'TAKE' ? incoming.met(data, answers) : 'UNCHANGED', outgoing.met(data, own)];
    // confirms a new sequence; and answers a server that reconnected and sent its hello first
    if (outcomes.includes('SPACE_OPENED')) hello();
    else if (!answers || ask || data.ask === true) helloUnlessOnTheWay();
  };

  const acked = (ack: Ack): void => {
    hellos = heardAck(hellos, ack);
    outgoing.acked(ack);
  };

  const onMessage = (topic: string, payload: Uint8Array): void => {
    const channel = parseTopic(topic)?.channel;
    if (channel === 'down/data') takeData(payload);
    if (channel === 'down/ack') whenValid(parseMessage(channel, payload), ({ data }) => acked(data));
    if (channel === 'down/hello') whenValid(parseMessage(channel, payload), met);
  };
  const takeUnreadable = (numbering: CarriedEvent['numbering'], faults: readonly Fault[]): void => {
    const message = `the message cannot be read: ${describeFaults(faults)}`;
    options.onUnreadable();
    log.error({ sequence: numbering?.sequence, reason: message }, 'dropped a message of the server');
    if (numbering === undefined) return; // the message is not part of the sequence: the server sends the missing message again
    const { sequence } = numbering;
    incoming.takeUnreadable(numbering, [{ error: { level: 'ERROR', kind: 'DATA', message, sequence } }]);
  };
  const takeEvent = ({ numbering, envelope }: CarriedEvent, bytes: number): void => {
    const parsed = envelope.ok ? checkEvent('down/data', envelope.value) : envelope;
    if (parsed.ok) incoming.take(parsed.value, bytes);
    else takeUnreadable(numbering, parsed.faults);
  };
  const takeData = (payload: Uint8Array): void => {
    const carried = carriedEvents(payload);
    if (carried.ok) {
      const { length } = carried.value;
      for (const event of carried.value) takeEvent(event, Math.ceil(payload.byteLength / length));
      return;
    }
    log.error({ faults: describeFaults(carried.faults) }, 'dropped a batch of the server');
    const withdraws = takesBatches;
    takesBatches = false;
    // the last hello may still offer batches
    if (withdraws) hello();
    else helloUnlessOnTheWay();
  };
  const whenValid = <T>(parsed: Parsed<T>, handle: (message: T) => void): void => {
    if (parsed.ok) handle(parsed.value);
    else log.error({ faults: describeFaults(parsed.faults) }, 'dropped a message of the server');
  };

  const tick = (): void => {
    if (connection?.connected !== true) return;
    if (unanswered !== undefined && nowMs() - helloAtMs >= patienceMs) hello();
    releaseHeld();
    outgoing.tick();
  };

  const disconnect = async (): Promise<void> => {
    const ending = connection;
    if (ending === undefined) return;
    clearInterval(timer);
    outgoing.lost();
    connection = undefined;
    await ending.close();
  };

  return {
    get connected() {
      return connection?.connected === true;
    },
    get unacknowledged() {
      const { last, acked } = outgoing.standing();
      return last - acked;
    },
    get waitingMessages() {
      return incoming.waitingMessages;
    },
    publish: (body) => outgoing.publish(body),
    report: (bodies) => extend(bodies, (reports) => journal.addReports(reports)),
    position,
    applied: () => incoming.applied(),
    seen: (appliedBefore) =>
      incoming.seen(appliedBefore) ?? { epoch: outgoing.position().sendEpoch, applied: 0, begun: 0 },
    waiting: () => incoming.waiting(),
    reportSent: releaseHeld,
    retryWaiting: () => incoming.retryWaiting(),
    play: () => {
      if (connection !== undefined) return;
      incoming.open();
      takesBatches = true;
      timer = setInterval(tick, tickMs);
      connection = openMqttConnection({
        url: properties.messageBusUrl,
        clientId: clientIdOf(adaptorUuid, 'data'),
        username: properties.clientId,
        password: properties.clientSecret,
        subscriptions: subscriptionsOf(adaptorUuid, 'data'),
        onUp: () => {
          hello();
          options.onWaiting('CONNECTED');
        },
        onDown: () => outgoing.lost(),
        onMessage,
        log,
      });
    },
    pause: async () => {
      try {
        await incoming.halt();
      } finally {
        await disconnect();
      }
    },
    disconnect,
    flush: () => outgoing.flush(),
    refuseWaiting: () => outgoing.refuseWaiting(),
  };
};
