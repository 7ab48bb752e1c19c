import type { EndpointAnswer } from '../http/endpoint.js';

/** A request that is to take effect once. */
export interface IdempotentRequest {
  /** Who asks; keys of different callers have nothing to do with each other. */
  readonly callerUuid: string;
  /** Path without query string. */
  readonly path: string;
  readonly key: string;
  /** Query string and body: what must be the same each time. */
  readonly content: string;
}

/** What is known of a request. */
export type Claim =
  /** Nobody works on it and nobody has: the caller of `claim` does it, then settles or releases it. */
  | { readonly kind: 'CLAIMED'; settle(answer: EndpointAnswer): Promise<void>; release(): Promise<void> }
  | { readonly kind: 'ANSWERED'; readonly answer: EndpointAnswer }
  /** The key was used with another content. */
  | { readonly kind: 'REUSED' }
  | { readonly kind: 'IN_PROGRESS'; readonly retryAfterSeconds: number }
  /** An attempt ended without an answer, and the caller has changed resources since it began, perhaps by it. */
  | { readonly kind: 'UNKNOWN'; readonly changes: readonly string[] };

/** Remembers requests with an Idempotency-Key for 24 hours, across restarts. */
export interface IdempotencyStore {
  /**
   * Claims a request. While another attempt works on it, waits for its answer, a few seconds at most. An attempt that ended
   * without an answer is repeated only when nothing can have come of it.
   */
  claim(request: IdempotentRequest): Promise<Claim>;
}
