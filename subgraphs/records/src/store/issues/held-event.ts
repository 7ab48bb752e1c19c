import type { RetryOrder } from '../../domain/issues/retry-order.js';

/** An event that waits with its issue. */
export interface HeldEvent {
  readonly issueUuid: string;
  readonly adaptorUuid: string;
  readonly domainVersionUuid: string | null;
  /** Hexadecimal, of the key that it was held under; null: it named none that could be read. */
  readonly keyDigest: string | null;
  /** JSON text of the event as it came. */
  readonly dataEvent: string;
  /** Undefined: nobody asked for it, its cause may be gone. */
  readonly order?: RetryOrder;
}
