import type { Hello } from '@fds/adaptor-protocol';
import { isOutrun, type Channel } from './meet-adaptor.js';

/** A hello as it came. */
export interface SaidHello {
  /** The message's id: copies of it have the same. */
  readonly id: string;
  readonly hello: Hello;
}

/**
 * Tells new hellos from old ones. A broker may deliver a copy when the adaptor has gone on, and one that another process
 * has answered may be found when that process has died.
 */
export class HelloBook {
  readonly #answered = new Map<string, string>();
  readonly #doubted = new Set<string>();

  /**
   * A copy of the last one is old. One that acknowledgements have outrun is doubted: the next one is believed, and comes
   * where the adaptor has lost its state, because it then meets a gap.
   */
  ageOf(channel: Channel, { id, hello }: SaidHello): 'NEW' | 'OLD' {
    const { adaptorUuid } = channel;
    if (this.#answered.get(adaptorUuid) === id) return 'OLD';
    this.#answered.set(adaptorUuid, id);
    // the second one takes the doubt away
    if (this.#doubted.delete(adaptorUuid) || !isOutrun(channel, hello)) return 'NEW';
    this.#doubted.add(adaptorUuid);
    return 'OLD';
  }

  forget(adaptorUuid: string): void {
    this.#answered.delete(adaptorUuid);
    this.#doubted.delete(adaptorUuid);
  }
}
