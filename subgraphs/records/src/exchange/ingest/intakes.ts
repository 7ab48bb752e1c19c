import { eventWindow, type Hello, type Numbering } from '@fds/adaptor-protocol';
import { greetedAt, withHello, type Greeting } from '../domain/greetings.js';
import type { Channel } from '../../domain/meet-adaptor.js';
import type { WireSeen } from '../../domain/routing/wire-seen.js';

/** The position to which this process has taken an adaptor's messages. */
export interface Intake {
  readonly epoch: string | null;
  /** The last number that was taken; it is ahead of the committed one. */
  readonly sequence: number;
  /** The last committed number: the answer to a duplicate. */
  applied: number;
  /** Positions of the adaptor when it made events that had not arrived at a hello. */
  readonly greetings: readonly Greeting[];
  /** When the adaptor was last asked to go back. It is not asked again for every message beyond the gap. */
  gapAskedMs: number | undefined;
}

/** The position that a channel has in the database. */
type StoredPosition = Pick<Channel, 'upEpoch' | 'upApplied'>;

const gapAskIntervalMs = 1_000;

const startAt = ({ upEpoch, upApplied }: StoredPosition): Intake => ({
  epoch: upEpoch,
  sequence: upApplied,
  applied: upApplied,
  greetings: [],
  gapAskedMs: undefined,
});

/** The intake of each adaptor that this process serves. One entry an adaptor; it goes when the process stops to serve it. */
export class Intakes {
  readonly #intakes = new Map<string, Intake>();

  find(adaptorUuid: string): Intake | undefined {
    return this.#intakes.get(adaptorUuid);
  }

  /** Continues from the stored position. An adaptor without a channel starts at zero. */
  start(adaptorUuid: string, stored: StoredPosition = { upEpoch: null, upApplied: 0 }): Intake {
    const intake = startAt(stored);
    this.#intakes.set(adaptorUuid, intake);
    return intake;
  }

  /** The last number of the epoch that this process has committed; 0 for another epoch. */
  appliedIn(adaptorUuid: string, epoch: string | null): number {
    const intake = this.#intakes.get(adaptorUuid);
    return intake?.epoch === epoch ? intake.applied : 0;
  }

  /** The adaptor completed a handshake. `hello` undefined: the process before this one completed it. */
  meet(channel: Channel, hello: Hello | undefined): void {
    const { adaptorUuid } = channel;
    const intake = this.#intakes.get(adaptorUuid);
    // if another process served the adaptor, this one does not know how far events were taken
    const before = hello !== undefined && intake?.epoch === channel.upEpoch ? intake : startAt(channel);
    const greetings = hello === undefined ? [] : withHello(before.greetings, channel, hello, before.sequence);
    this.#intakes.set(adaptorUuid, { ...before, greetings, gapAskedMs: undefined });
  }

  /**
   * Takes the message that follows `intake`.
   *
   * @returns the position of the adaptor when it made the message; undefined: no hello covers the message
   */
  take(adaptorUuid: string, intake: Intake, { epoch, sequence }: Numbering): WireSeen | undefined {
    const applied = this.#intakes.get(adaptorUuid)?.applied ?? intake.applied;
    const { greetings } = intake;
    this.#intakes.set(adaptorUuid, { epoch, sequence, applied, greetings, gapAskedMs: undefined });
    return greetedAt(greetings, sequence);
  }

  /**
   * The channel of a source was committed.
   *
   * @param expected the last number that the batch was to commit; undefined: none
   */
  commit(channel: Channel, expected: Numbering | undefined): void {
    const { adaptorUuid, upEpoch, upApplied } = channel;
    const intake = this.#intakes.get(adaptorUuid);
    if (intake?.epoch === upEpoch) intake.applied = upApplied;
    // another process took the messages, or the adaptor began a new epoch: this position is out of date
    if (expected !== undefined && (expected.epoch !== upEpoch || expected.sequence > upApplied)) {
      this.#intakes.delete(adaptorUuid);
    }
  }

  forget(adaptorUuid: string): void {
    this.#intakes.delete(adaptorUuid);
  }
}

/** No sender that keeps to its window sends more before the server has committed some. */
export const holdsWholeWindow = ({ sequence, applied }: Intake): boolean => sequence - applied >= eventWindow;

/** May the adaptor be asked to go back now? Notes that it is asked. */
export const mayAskForGap = (intake: Intake, nowMs: number): boolean => {
  if (intake.gapAskedMs !== undefined && nowMs - intake.gapAskedMs < gapAskIntervalMs) return false;
  intake.gapAskedMs = nowMs;
  return true;
};
