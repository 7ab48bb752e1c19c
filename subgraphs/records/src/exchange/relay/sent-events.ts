import { startSpan, type Span } from '@fds/service';
import type { EventMeter } from '../../domain/events/event-meter.js';
import type { OutboxMessage } from '../../store/channels/delivery.js';

/** Most messages of an adaptor whose time and span are kept until they are acknowledged. Others are counted without their age. */
const maxKept = 1024;

const published = { 'messaging.system': 'mqtt', 'messaging.operation.type': 'send' } as const;

const member = '"createTime":';

/** The time at which the source made the event of a message; the server writes the member before any data. */
const createTimeOf = (message: string): number | undefined => {
  const place = message.indexOf(member);
  const time = place < 0 ? NaN : Number.parseInt(message.slice(place + member.length, place + member.length + 20), 10);
  return Number.isNaN(time) ? undefined : time;
};

/** Figures of the messages to one adaptor, from their sending by this process to their acknowledgement. */
export class SentEvents {
  private readonly times = new Map<number, number>();
  private readonly spans = new Map<number, Span>();
  /** Numbers of the outbox. Undefined until the adaptor was met. */
  private acked: number | undefined;
  private sentUpto = 0;

  constructor(
    private readonly adaptorUuid: string,
    private readonly meter: EventMeter,
    private readonly nowMs: () => number,
  ) {}

  /** The adaptor says how far it has acknowledged. */
  met(acked: number): void {
    if (this.acked === undefined) this.acked = acked;
    else this.acknowledged(acked);
    this.sentUpto = Math.max(this.sentUpto, acked);
  }

  /** Keeps the times of messages. */
  note(messages: readonly OutboxMessage[]): void {
    for (const { sequence, message } of messages) {
      if (message === null || this.times.size >= maxKept || sequence <= (this.acked ?? 0)) continue;
      const time = createTimeOf(message);
      if (time !== undefined) this.times.set(sequence, time);
    }
  }

  /** Begins the spans of messages that are about to be sent. They end with their acknowledgement. */
  traced(messages: readonly OutboxMessage[]): readonly OutboxMessage[] {
    if (messages.every(({ traceparent }) => traceparent === undefined)) return messages;
    return messages.map((message) => {
      const { sequence, traceparent: parent } = message;
      if (parent === undefined || this.spans.size >= maxKept) return message;
      const span = startSpan({ name: 'publish down/data', kind: 'PRODUCER', parent, attributes: published });
      if (span === undefined) return message;
      this.spans.get(sequence)?.end('SENT_AGAIN');
      this.spans.set(sequence, span);
      return { ...message, traceparent: span.traceparent };
    });
  }

  /** This process gets no further acknowledgements. */
  forget(): void {
    for (const span of this.spans.values()) span.end('NOT_ACKNOWLEDGED');
    this.spans.clear();
  }

  /** The bus has taken messages. */
  sent(messages: readonly OutboxMessage[]): void {
    const again = messages.filter(({ sequence }) => sequence <= this.sentUpto).length;
    if (again > 0) this.meter.countEvents('sent', 'sent_again', again);
    if (messages.length > again) this.meter.countEvents('sent', 'sent', messages.length - again);
    this.sentUpto = Math.max(this.sentUpto, messages.at(-1)?.sequence ?? 0);
  }

  /** Messages up to a number of the outbox are on their way to a receiver. */
  sentUntil(upto: number): void {
    if (upto <= this.sentUpto) return;
    this.meter.countEvents('sent', 'sent', upto - this.sentUpto);
    this.sentUpto = upto;
  }

  acknowledged(upto: number): void {
    const { acked = upto } = this;
    this.acked = Math.max(acked, upto);
    for (const [sequence, span] of this.spans) {
      if (sequence > upto) continue;
      this.spans.delete(sequence);
      span.end();
    }
    if (upto <= acked) return;
    this.meter.countEvents('acknowledged', 'acknowledged', upto - acked);
    const nowMs = this.nowMs();
    for (const [sequence, time] of this.times) {
      if (sequence > upto) continue;
      this.times.delete(sequence);
      this.meter.noteAge('acknowledged', this.adaptorUuid, nowMs - time);
    }
  }
}
