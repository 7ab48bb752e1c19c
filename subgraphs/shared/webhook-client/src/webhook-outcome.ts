/**
 * The result of one attempt. DELIVERED: the receiver answered 2xx. GONE: it answered 410. REFUSED_TARGET: its address, or
 * that of its authorization server, is not permitted, and nothing was sent to it. FAILED: anything else.
 */
export interface WebhookOutcome {
  readonly kind: 'DELIVERED' | 'FAILED' | 'GONE' | 'REFUSED_TARGET';
  readonly httpStatus?: number;
  /** The wait that the receiver asked for. */
  readonly retryAfterMs?: number;
  /** A public sentence. It contains no secret and no data of the receiver. */
  readonly error?: string;
  /** There was no answer at all: the host is down, or does not answer in time. */
  readonly isUnreachable?: true;
  readonly milliseconds: number;
}
