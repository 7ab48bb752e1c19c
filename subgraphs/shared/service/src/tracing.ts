import type { IncomingHttpHeaders } from 'node:http';

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
  /** Ends the span, with the code of a failure. Only the first call counts. */
  end(failure?: string): void;
  /** Runs work in which the span is the current one. */
  run<T>(work: () => T): T;
}

/** Makes the spans of the process. The composition root opens it. */
export interface Tracer {
  start(options: SpanOptions): Span | undefined;
  current(): Span | undefined;
}

/** One for the process, as the log of a library would be: a trace crosses every layer, and off it costs one comparison. */
let tracer: Tracer | undefined;

/** Undefined: traces are off, which is the default. */
export const useTracer = (given: Tracer | undefined): void => {
  tracer = given;
};

export const isTracing = (): boolean => tracer !== undefined;

/** Begins a span. Undefined: traces are off, or the span would have no parent. */
export const startSpan = (options: SpanOptions): Span | undefined => tracer?.start(options);

/** The span of the running work. */
export const currentSpan = (): Span | undefined => tracer?.current();

/** `traceparent` of the running work. Undefined: its trace is not recorded. */
export const recordedTraceparent = (): string | undefined => {
  const span = tracer?.current();
  return span?.isRecorded === true ? span.traceparent : undefined;
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'INTERNAL';

/** Runs work in a span, which ends with it. */
export const inSpan = async <T>(
  options: SpanOptions,
  work: (span: Span | undefined) => Promise<T>,
  failureOf: (result: T) => string | undefined = () => undefined,
): Promise<T> => {
  const span = tracer?.start(options);
  if (span === undefined) return work(undefined);
  try {
    const result = await span.run(() => work(span));
    span.end(failureOf(result));
    return result;
  } catch (error) {
    span.end(codeOf(error));
    throw error;
  }
};

const traceIdIn = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?=-|$)/;

/** The id of the trace of a request, for lines of the log: of its span, or of its header where traces are off. */
export const traceIdOf = ({ traceparent }: IncomingHttpHeaders): string | undefined => {
  const span = tracer?.current();
  if (span !== undefined) return span.traceId;
  return typeof traceparent === 'string' ? traceIdIn.exec(traceparent.slice(0, 256))?.[1] : undefined;
};
