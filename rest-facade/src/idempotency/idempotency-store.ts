import type { EndpointAnswer } from '../http/endpoint.js';

/** A request that must take effect only once. */
export interface IdempotentRequest {
  /** The caller; keys of different callers are independent. */
  readonly callerUuid: string;
  /** Path without the query string. */
  readonly path: string;
  readonly key: string;
  /** Query string and body. They must be the same each time. */
  readonly content: string;
}

/** The stored state of a request. */
export type Claim =
  /** No attempt exists. The caller of `claim` makes one, and then settles or releases it. */
  | { readonly kind: 'CLAIMED'; settle(answer: EndpointAnswer): Promise<void>; release(): Promise<void> }
  | { readonly kind: 'ANSWERED'; readonly answer: EndpointAnswer }
  /** The key was used with other content. */
  | { readonly kind: 'REUSED' }
  | { readonly kind: 'IN_PROGRESS'; readonly retryAfterSeconds: number }
  /**
   * An attempt ended without an answer, and the caller has changed resources since it began; the attempt may have made
   * these changes.
   */
  | { readonly kind: 'UNKNOWN'; readonly changes: readonly string[] };

/** Stores requests with an Idempotency-Key for 24 hours, across restarts. */
export interface IdempotencyStore {
  /**
   * Claims a request. While another attempt is in progress, it waits for the answer of that attempt, but only a few
   * seconds. An attempt that ended without an answer is repeated only if it cannot have had an effect.
   */
  claim(request: IdempotentRequest): Promise<Claim>;
}
