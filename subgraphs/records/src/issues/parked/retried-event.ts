import type { AdaptorView } from '../../domain/catalog.js';
import type { IncomingEvent } from '../../domain/events/incoming-event.js';
import type { ParkedEvent } from '../../store/issues/parked-event.js';

/** A parked event that was read again and waits for the next commit. It has no place in the sequence of its adaptor. */
export interface RetriedEvent {
  readonly adaptor: AdaptorView;
  readonly event: IncomingEvent;
  readonly position: undefined;
  /** Reads the event once more, when its version has changed since; without it the event stays unchanged. */
  readonly reread?: () => Promise<IncomingEvent>;
  readonly parked: ParkedEvent;
}

/** The outcome of a committed batch for the parked events in it. */
export interface RetriedBatch {
  /** Issues whose events were tried again. */
  readonly tried: ReadonlySet<string>;
  /** Those of them that continued. */
  readonly settled: ReadonlySet<string>;
}

/** Commits a parked event with the events that arrive at the same time. Rejects when the event was given up. */
export type CommitRetried = (event: RetriedEvent) => Promise<RetriedBatch>;
