import {
  adaptorSource,
  buildBatch,
  buildMessage,
  carriedEvents,
  checkEvent,
  meetSender,
  parseMessage,
  receive,
  startPosition,
  type BatchOffer,
  type CarriedEvent,
  type DownDataEvent,
  type Link,
  type Position,
  type Refusal,
  type UpDataEvent,
} from '@fds/adaptor-protocol';
import { randomUUID } from 'node:crypto';
import type { MemoryBus } from './memory-bus.js';

/** The messages to an adaptor, in the order of their application. */
interface AppliedMessage {
  readonly epoch: string;
  readonly sequence: number;
  readonly event: DownDataEvent;
}

/** An adaptor on a memory bus: keeps a journal of its reports and applies its messages by the contract. */
export interface BusAdaptor {
  readonly uuid: string;
  readonly applied: readonly AppliedMessage[];
  /** Notices of refused events that it received. */
  readonly refusals: readonly Refusal[];
  /** Last number that the server acknowledged. */
  readonly acknowledged: number;
  /** Connects (to another bus, if given) and says hello; resolves when the server has answered. */
  connect(bus?: MemoryBus): Promise<void>;
  disconnect(): void;
  send(event: Partial<UpDataEvent> & Pick<UpDataEvent, 'action'>): void;
  /** As `send`, but the message does not arrive. */
  lose(event: Partial<UpDataEvent> & Pick<UpDataEvent, 'action'>): void;
  /** A numbered message whose envelope is not one. */
  sendUnreadable(): void;
  /** Publishes a message of the journal once more. */
  resend(sequence: number): void;
  /** Publishes messages of the journal in a batch, both inclusive. Default: unchanged. */
  sendBatch(from: number, to: number, change?: (events: readonly string[]) => readonly string[]): void;
  /** Its hellos offer these batches; undefined: none. */
  offerBatches(offer: BatchOffer | undefined): void;
  /** The offer of the server's last hello. */
  readonly offered: BatchOffer | undefined;
  /** The number of events in each data message of the server. */
  readonly sizes: readonly number[];
  link(...links: readonly Link[]): void;
  /** Reports links in the sequence of the data events. */
  sendLinks(...links: readonly Link[]): void;
  /** Its acknowledgements do not arrive from now on: its hellos have its position. */
  loseAcks(): void;
  /** Applies and acknowledges nothing until this is called with `apply`. */
  become(behaviour: 'apply' | 'ignore'): void;
}

export const createBusAdaptor = (
  bus: MemoryBus,
  uuid: string,
  defaults: Pick<UpDataEvent, 'domain' | 'version'>,
): BusAdaptor => {
  const encoder = new TextEncoder();
  const sendEpoch = randomUUID();
  const journal: string[] = [];
  const applied: AppliedMessage[] = [];
  const refusals: Refusal[] = [];
  let current = bus;
  let cut: (() => void) | undefined;
  let position: Position = startPosition;
  let acknowledged = 0;
  let offer: BatchOffer | undefined;
  let offered: BatchOffer | undefined;
  const sizes: number[] = [];
  let onGreeted = (): void => undefined;
  let behaviour: 'apply' | 'ignore' = 'apply';
  let losesAcks = false;

  const stamp = () => ({ id: randomUUID(), source: adaptorSource(uuid), time: new Date().toISOString() });
  const hello = (): void => {
    const batch = offer === undefined ? {} : { batch: offer };
    const data = { epoch: position.epoch, applied: position.sequence, sendEpoch, sent: journal.length, ...batch };
    current.publishUp(uuid, 'hello', buildMessage('up/hello', { ...stamp(), type: 'fds.hello.v1', data }));
  };
  const resendFrom = (sequence: number): void => {
    for (const payload of journal.slice(sequence)) current.publishUp(uuid, 'data', payload);
  };

  /** Writes an event to the journal. */
  const record = (event: Partial<UpDataEvent> & Pick<UpDataEvent, 'action'>): string => {
    const data = { ...defaults, transactionUuid: randomUUID(), createTime: Date.now(), ...event };
    const payload = buildMessage('up/data', {
      ...stamp(),
      type: 'fds.data.v1',
      sequence: journal.length + 1,
      epoch: sendEpoch,
      data,
    });
    journal.push(payload);
    return payload;
  };

  const take = (kind: string, payload: string): void => {
    const bytes = encoder.encode(payload);
    if (kind === 'hello') {
      const parsed = parseMessage('down/hello', bytes);
      if (!parsed.ok) throw new TypeError(JSON.stringify(parsed.faults));
      position = meetSender(position, parsed.value.data);
      offered = parsed.value.data.batch;
      onGreeted();
      if (parsed.value.data.epoch === sendEpoch) {
        acknowledged = parsed.value.data.applied;
        resendFrom(acknowledged);
      }
      return;
    }
    if (kind === 'ack') {
      const parsed = parseMessage('down/ack', bytes);
      if (parsed.ok && parsed.value.data.epoch === sendEpoch) {
        acknowledged = Math.max(acknowledged, parsed.value.data.upto);
      }
      return;
    }
    if (kind === 'ops') {
      const parsed = parseMessage('down/ops', bytes);
      if (parsed.ok && parsed.value.type === 'fds.refused.v1') refusals.push(parsed.value.data);
      return;
    }
    const carried = carriedEvents(bytes);
    if (!carried.ok) throw new TypeError(JSON.stringify(carried.faults));
    if (carried.value.length > 1 && offer === undefined) throw new TypeError('a batch, which was not offered');
    sizes.push(carried.value.length);
    if (behaviour === 'apply') for (const event of carried.value) apply(event);
  };
  const apply = ({ envelope }: CarriedEvent): void => {
    const parsed = envelope.ok ? checkEvent('down/data', envelope.value) : envelope;
    if (!parsed.ok) throw new TypeError(JSON.stringify(parsed.faults));
    const { epoch = '', sequence = 0, data } = parsed.value;
    const reception = receive(position, { epoch, sequence });
    if (reception === 'GAP') return;
    if (reception === 'APPLY') {
      applied.push({ epoch, sequence, event: data });
      position = { epoch, sequence };
    }
    const ack = { epoch, upto: position.sequence };
    if (losesAcks) return;
    current.publishUp(uuid, 'ack', buildMessage('up/ack', { ...stamp(), type: 'fds.ack.v1', data: ack }));
  };

  return {
    uuid,
    applied,
    refusals,
    get acknowledged() {
      return acknowledged;
    },
    connect: (next = current) => {
      cut?.();
      current = next;
      cut = current.connect(uuid, take);
      return new Promise((resolve) => {
        onGreeted = resolve;
        hello();
      });
    },
    disconnect: () => cut?.(),
    send: (event) => {
      current.publishUp(uuid, 'data', record(event));
    },
    lose: (event) => {
      record(event);
    },
    sendLinks: (...links) => {
      const numbering = { sequence: journal.length + 1, epoch: sendEpoch };
      const payload = buildMessage('up/link', { ...stamp(), type: 'fds.link.v1', ...numbering, data: { links } });
      journal.push(payload);
      current.publishUp(uuid, 'data', payload);
    },
    sendUnreadable: () => {
      const payload = record({ action: 'POST', json: {} }).replace('"specversion":"1.0"', '"specversion":"0.3"');
      journal[journal.length - 1] = payload;
      current.publishUp(uuid, 'data', payload);
    },
    resend: (sequence) => current.publishUp(uuid, 'data', journal[sequence - 1] ?? ''),
    sendBatch: (from, to, change = (events) => events) =>
      current.publishUp(
        uuid,
        'data',
        buildBatch({ ...stamp(), epoch: sendEpoch }, change(journal.slice(from - 1, to))),
      ),
    offerBatches: (next) => {
      offer = next;
    },
    get offered() {
      return offered;
    },
    sizes,
    link: (...links) =>
      current.publishUp(uuid, 'link', buildMessage('up/link', { ...stamp(), type: 'fds.link.v1', data: { links } })),
    loseAcks: () => {
      losesAcks = true;
    },
    become: (next) => {
      behaviour = next;
    },
  };
};
