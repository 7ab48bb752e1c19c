import { finish, finishedPrefix, type FinishedPrefix } from '@fds/adaptor-protocol';

/** The places of a destination's sequences that have an effect. */
export class PlaceBook {
  readonly #epochs = new Map<string, FinishedPrefix>();

  has(epoch: string, sequence: number): boolean {
    const prefix = this.#epochs.get(epoch);
    return prefix !== undefined && (sequence <= prefix.upto || prefix.beyond.has(sequence));
  }

  /** @returns true when the place is new */
  add(epoch: string, sequence: number): boolean {
    if (this.has(epoch, sequence)) return false;
    this.#epochs.set(epoch, finish(this.#epochs.get(epoch) ?? finishedPrefix(0), sequence));
    return true;
  }
}
