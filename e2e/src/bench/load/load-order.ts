/** A request with the only right answer to it. */
export interface ExpectedExchange {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The whole body of the answer. */
  readonly expected: string;
}

/** What the load generator is told. It starts at once and goes on until it is told to stop. */
export type LoadOrder =
  | {
      readonly kind: 'START';
      readonly origin: string;
      /** Each sends its next request when its last was answered. */
      readonly connections: number;
      /** Sent in turn. */
      readonly exchanges: readonly ExpectedExchange[];
    }
  | { readonly kind: 'STOP' };

/** What it saw between start and stop, requests in flight at the stop included. */
export interface LoadReport {
  /** Answers with status 200 and the expected body. */
  readonly answers: number;
  /** Longest wait for one. */
  readonly longestMs: number;
  /** 95 of 100 waits were at most that long. */
  readonly p95Ms: number;
  /** The first wrong answer, if there was any; the load ended with it. */
  readonly wrong?: string;
}
