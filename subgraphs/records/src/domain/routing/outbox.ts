import type { Channel } from '../meet-adaptor.js';
import type { PlannedDelivery } from '../events/event-outcome.js';
import type { FindSent, SentMessage } from './sent-message.js';
import type { OversizedMessage } from '../events/raise-oversized-message.js';

/** A message that was queued before and may not have been applied. */
export interface InFlightMessage {
  readonly eventUuid: string;
  /** JSON text of the envelope's `data`; null when it was applied since. */
  readonly message: string | null;
}

/** The position of an outbox. */
type OutboxEnd = Pick<Channel, 'downSequence' | 'downAcked'>;

/** Name of a message among those of all outboxes. */
export const messageId = (adaptorUuid: string, sequence: number): string => `${adaptorUuid}:${sequence}`;

/** The outboxes of one transaction: numbers queued messages, without gaps, and remembers those in flight. */
export class Outbox {
  readonly #endOf: (adaptorUuid: string) => OutboxEnd | undefined;
  readonly #inFlight: ReadonlyMap<string, InFlightMessage>;
  readonly #findSent: FindSent;
  readonly #last = new Map<string, number>();
  readonly #added = new Map<string, PlannedDelivery>();
  readonly #leftOut: OversizedMessage[] = [];

  /**
   * @param endOf the end of an adaptor's outbox; undefined where it is not locked
   * @param inFlight by `messageId`, those that events of the transaction may cross
   * @param findSent finds messages of the origins that events of the transaction name
   */
  constructor(
    endOf: (adaptorUuid: string) => OutboxEnd | undefined,
    inFlight: ReadonlyMap<string, InFlightMessage> = new Map(),
    findSent: FindSent = () => [],
  ) {
    this.#endOf = endOf;
    this.#findSent = findSent;
    this.#inFlight = inFlight;
  }

  /** The number that the adaptor's next message gets. @throws TypeError when its outbox is not locked */
  next(adaptorUuid: string): number {
    return (this.#last.get(adaptorUuid) ?? this.#require(adaptorUuid).downSequence) + 1;
  }

  /** The adaptor has acknowledged everything up to here. */
  acked(adaptorUuid: string): number {
    return this.#require(adaptorUuid).downAcked;
  }

  /** Queues a message that has its number. */
  add(delivery: PlannedDelivery): void {
    this.#last.set(delivery.adaptorUuid, delivery.sequence);
    this.#added.set(messageId(delivery.adaptorUuid, delivery.sequence), delivery);
  }

  /** Notes a message that gets no number, because the bus cannot carry it. */
  leaveOut(message: OversizedMessage): void {
    this.#leftOut.push(message);
  }

  get leftOut(): readonly OversizedMessage[] {
    return this.#leftOut;
  }

  find(adaptorUuid: string, sequence: number): InFlightMessage | undefined {
    const id = messageId(adaptorUuid, sequence);
    return this.#added.get(id) ?? this.#inFlight.get(id);
  }

  /** The messages by which an adaptor was sent the events of a transaction. */
  sent(adaptorUuid: string, transactionUuid: string): readonly SentMessage[] {
    return this.#findSent(adaptorUuid, transactionUuid);
  }

  /** The last number of an adaptor that got messages; undefined of one that got none. */
  last(adaptorUuid: string): number | undefined {
    return this.#last.get(adaptorUuid);
  }

  /** Checks the messages to be written against the numbers given. @throws TypeError where a number would be missing */
  requireAll(deliveries: readonly PlannedDelivery[]): void {
    if (deliveries.length !== this.#added.size) throw new TypeError('a message that was planned is not written');
  }

  #require(adaptorUuid: string): OutboxEnd {
    const end = this.#endOf(adaptorUuid);
    if (end === undefined) throw new TypeError('a message for an adaptor whose channel is not locked');
    return end;
  }
}
