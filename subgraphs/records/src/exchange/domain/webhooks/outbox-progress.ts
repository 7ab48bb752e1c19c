import type { Channel } from '../../../domain/meet-adaptor.js';

type Place = Pick<Channel, 'downEpoch' | 'downBase' | 'downSequence' | 'downAcked'>;

/**
 * How far the outbox of a webhook adaptor is delivered. All numbers are those of the outbox, which are never used again;
 * only `position` and `sequenceOf` give numbers on the wire.
 */
export class OutboxProgress {
  #epoch = '';
  /** The number before the first one of the epoch. */
  #base = 0;
  /** Everything up to here is delivered. */
  #acked = 0;
  /** The last number that may have been sent. */
  #sentUpto = 0;
  /** The last number that is known to be queued. */
  #queuedUpto = 0;
  /** Delivered beyond `#acked`. */
  readonly #done = new Set<number>();

  get epoch(): string {
    return this.#epoch;
  }

  /** Everything up to this number is delivered. */
  get acked(): number {
    return this.#acked;
  }

  get hasQueued(): boolean {
    return this.#acked < this.#queuedUpto;
  }

  /** Begins at the place of the channel. An earlier process may have sent everything that is queued there. */
  begin({ downAcked, downSequence }: Place): void {
    this.#done.clear();
    this.#acked = downAcked;
    this.#sentUpto = downSequence;
  }

  /** Takes the epoch of the channel, and the last number that is queued there. */
  meet({ downEpoch, downBase, downSequence }: Place): void {
    this.#epoch = downEpoch;
    this.#base = downBase;
    this.queued(downSequence);
  }

  queued(upto: number): void {
    this.#queuedUpto = Math.max(this.#queuedUpto, upto);
  }

  sent(upto: number): void {
    this.#sentUpto = Math.max(this.#sentUpto, upto);
  }

  /** A message was delivered. @returns whether everything up to a further number is delivered now */
  delivered(number: number): boolean {
    this.#done.add(number);
    const before = this.#acked;
    while (this.#done.delete(this.#acked + 1)) this.#acked += 1;
    return this.#acked > before;
  }

  isDelivered(number: number): boolean {
    return number <= this.#acked || this.#done.has(number);
  }

  /** The next numbers to deliver, at most `count` of them; both ends are inclusive. */
  next(count: number): { readonly from: number; readonly to: number } {
    return { from: this.#acked + 1, to: Math.min(this.#queuedUpto, this.#acked + count) };
  }

  /** The number on the wire, in the present epoch. */
  sequenceOf(number: number): number {
    return number - this.#base;
  }

  /** How far messages are delivered, and how far they may have been sent, by the numbers on the wire. */
  position(): { readonly epoch: string; readonly applied: number; readonly begun: number } {
    const begun = Math.max(this.#sentUpto, this.#acked);
    return { epoch: this.#epoch, applied: this.sequenceOf(this.#acked), begun: this.sequenceOf(begun) };
  }
}
