import type { EndpointAnswer } from '../http/endpoint.js';

/** A request that is to take effect once. */
export interface IdempotentRequest {
  /** The caller; keys of different callers are independent. */
  readonly callerUuid: string;
  /** Path without query string. */
  readonly path: string;
  readonly key: string;
  /** Query string and body: they must be the same each time. */
  readonly content: string;
}

/** The stored state of a request. */
export type Claim =
  /** No attempt exists: the caller of `claim` makes one, then settles or releases it. */
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
   * without an answer is repeated only when it can have had no effect.
   */
  claim(request: IdempotentRequest): Promise<Claim>;
}
