/** A request with its expected answer. */
export interface ExpectedExchange {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The whole body of the answer. */
  readonly expected: string;
}

/** Message to the load generator. It starts at once and continues until the stop message. */
export type LoadOrder =
  | {
      readonly kind: 'START';
      readonly origin: string;
      /** Number of connections. Each sends its next request after the answer to the previous one. */
      readonly connections: number;
      /** Requests that are sent in turn. */
      readonly exchanges: readonly ExpectedExchange[];
    }
  | { readonly kind: 'STOP' };

/** Result of a load between start and stop, including the requests in flight at the stop. */
export interface LoadReport {
  /** Number of answers with status 200 and the expected body. */
  readonly answers: number;
  /** Longest time until an answer. */
  readonly longestMs: number;
  /** 95th percentile of the time until an answer. */
  readonly p95Ms: number;
  /** The first wrong answer, if any; it ends the load. */
  readonly wrong?: string;
}
