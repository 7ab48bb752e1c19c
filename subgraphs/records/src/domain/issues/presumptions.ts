import type { UnblockedEvents } from './unblocked-by.js';
import type { SettledMatch } from './settled-match.js';

/** An event that was let go on with a presumption, as its issue names it. */
export interface Presumption {
  readonly issueUuid: string;
  /** The accepted event that the presumption made. */
  readonly eventUuid: string;
  /** The record that it was presumed to be about. */
  readonly recordUuid: string;
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string;
}

/** The decision that replaces a presumption. */
interface UndonePresumption {
  readonly recordUuid: string;
  readonly unblocked: readonly UnblockedEvents[];
}

/** Undoes a presumption when a steward has decided otherwise. */
export interface Presumptions<Session> {
  /**
   * Moves the adaptor's data of the presumed record to the chosen one, in the transaction that closes the issue.
   *
   * @returns the record that the event is about now, and events that wait and may go on once it is committed; or why it
   *   cannot be done
   */
  undo(
    session: Session,
    presumption: Presumption,
    settled: SettledMatch,
  ): Promise<UndonePresumption | { readonly refusal: string }>;
}
