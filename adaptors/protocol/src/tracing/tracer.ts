/** A span to begin. Names, kinds and attributes have few values each: nothing that a caller chooses is in them. */
export interface SpanOptions {
  readonly name: string;
  /** Default: INTERNAL. */
  readonly kind?: 'SERVER' | 'CLIENT' | 'PRODUCER' | 'CONSUMER';
  readonly attributes?: Readonly<Record<string, string | number>>;
  /** `traceparent` that arrived, from anyone. A malformed one is ignored. Default: the current span. */
  readonly parent?: unknown;
  /** True: it begins a trace where no span is its parent. Default false: without a parent there is no span. */
  readonly mayBegin?: boolean;
}

/** Work that a trace shows, or that the sampler left out. */
export interface Span {
  readonly traceId: string;
  /** Names the span as the parent of work elsewhere. */
  readonly traceparent: string;
  /** False: the sampler left the trace out. The span only carries this on. */
  readonly isRecorded: boolean;
  set(attributes: Readonly<Record<string, string | number>>): void;
  /**
   * Ends the span. Only the first call counts.
   *
   * @param failure code of the failure; undefined: none
   */
  end(failure?: string): void;
  /** Runs work in which the span is the current one. */
  run<T>(work: () => T): T;
}

/** Makes the spans of a process. */
export interface Tracer {
  /** Undefined: it has no parent and begins no trace, or its parent was left out by the sampler. */
  start(options: SpanOptions): Span | undefined;
  /** The span of the running work. */
  current(): Span | undefined;
  /** Sends the spans that wait, within two seconds. Idempotent. */
  close(): Promise<void>;
}

export interface TracerOptions {
  /** The variables `OTEL_*` of the process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `service.name` where no variable names it. */
  readonly serviceName: string;
  readonly serviceVersion: string;
  /** Called when the variables cannot be used, or the collector does not take spans: once until it takes some again. */
  readonly onFailure: (error: Error) => void;
}
