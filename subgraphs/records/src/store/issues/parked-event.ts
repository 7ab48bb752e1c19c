import type { Seen } from '../../domain/routing/seen.js';
import type { RetryOrder } from '../../domain/issues/retry-order.js';

/** An event that waits with its issue. */
export interface ParkedEvent {
  readonly issueUuid: string;
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string | null;
  /** Hexadecimal, of the key that it was parked under; null: it named none that could be read. */
  readonly keyDigest: string | null;
  /** JSON text of the original event. */
  readonly dataEvent: string;
  /** The messages that its adaptor had applied when the event arrived. Undefined: not known. */
  readonly seen: Seen | undefined;
  /** It was parked with an issue MASS_DELETION, and a person lets it through. Default: false. */
  readonly passesBrake?: boolean;
  /** Undefined: no retry was ordered, its cause may be gone. */
  readonly order?: RetryOrder;
}
