import type { Span } from '@fds/service';
import type { AdaptorView } from '../../domain/catalog.js';
import type { IncomingEvent } from '../../domain/events/incoming-event.js';
import type { WireSeen } from '../../domain/routing/wire-seen.js';
import type { ParkedEvent } from '../../store/issues/parked-event.js';

/** An event that waits for the next commit. */
export interface QueuedEvent {
  readonly adaptor: AdaptorView;
  readonly event: IncomingEvent;
  /**
   * Its place in the adaptor's sequence; undefined for reports outside the sequence. Events of one message, the links of a
   * report, have the same object, follow each other and are accepted together.
   */
  readonly position: { readonly epoch: string; readonly sequence: number } | undefined;
  /** Reads the received message once more, when its version has changed since; without it the event stays unchanged. */
  readonly reread?: () => Promise<IncomingEvent>;
  /**
   * The position that its adaptor had applied when it made the event, when the event does not contain it. Default: unknown.
   */
  readonly seen?: WireSeen | undefined;
  /** When it arrived, epoch milliseconds. Default: not known. */
  readonly receivedAt?: number | undefined;
  /** True: it was sent before the database was restored. */
  readonly isResent?: boolean;
  /** It has waited with an issue and is tried again. */
  readonly parked?: ParkedEvent;
  /** The span of its message, if its trace is recorded. */
  readonly span?: Span;
}
