import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context, type Span as OtelSpan } from '@opentelemetry/api';
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { envDetectorSync, Resource } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { readTraceparent, writeTraceparent } from './trace-context.js';
import type { Span, SpanOptions, Tracer, TracerOptions } from './tracer.js';

/** Longest time in which the spans that wait are sent when the process ends. */
const closeMs = 2_000;

const kinds = {
  SERVER: SpanKind.SERVER,
  CLIENT: SpanKind.CLIENT,
  PRODUCER: SpanKind.PRODUCER,
  CONSUMER: SpanKind.CONSUMER,
};

/** OTLP over HTTP, in JSON or as protobuf. The address, headers and time-outs are those of the variables. */
const createExporter = ({ environment }: TracerOptions): SpanExporter => {
  const protocol = environment['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? environment['OTEL_EXPORTER_OTLP_PROTOCOL'];
  const isProtobuf = protocol?.trim() === 'http/protobuf';
  const contentType = isProtobuf ? 'application/x-protobuf' : 'application/json';
  return new OTLPExporterBase<ReadableSpan[]>(
    createOtlpHttpExportDelegate(
      convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', { 'Content-Type': contentType }),
      isProtobuf ? ProtobufTraceSerializer : JsonTraceSerializer,
    ),
  );
};

/** Reports the first failure after a success. Spans that the collector does not take are dropped. */
const reportingExporter = (exporter: SpanExporter, onFailure: TracerOptions['onFailure']): SpanExporter => {
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const { error } = result;
        if (error !== undefined && !isFailing) onFailure(error);
        isFailing = error !== undefined;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
};

/** Creates a tracer by the variables `OTEL_*`. It is not the global one, so libraries make no spans with it. */
export const createTracer = (options: TracerOptions): Tracer => {
  const { serviceName, serviceVersion, onFailure } = options;
  const provider = new BasicTracerProvider({
    resource: new Resource({ 'service.name': serviceName, 'service.version': serviceVersion }).merge(
      envDetectorSync.detect(),
    ),
    spanProcessors: [new BatchSpanProcessor(reportingExporter(createExporter(options), onFailure))],
  });
  const tracer = provider.getTracer('federated-data-service');
  const running = new AsyncLocalStorage<Span>();
  const contexts = new WeakMap<Span, Context>();

  const wrap = (span: OtelSpan): Span => {
    const { traceId, spanId } = span.spanContext();
    const isRecorded = span.isRecording();
    let isEnded = false;
    const own: Span = {
      traceId,
      traceparent: writeTraceparent({ traceId, spanId, isSampled: isRecorded }),
      isRecorded,
      set: (attributes) => {
        if (!isEnded) span.setAttributes(attributes);
      },
      end: (failure) => {
        if (isEnded) return;
        isEnded = true;
        if (failure !== undefined) {
          span.setAttribute('error.type', failure);
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end();
      },
      run: (work) => running.run(own, work),
    };
    if (isRecorded) contexts.set(own, trace.setSpan(ROOT_CONTEXT, span));
    return own;
  };

  /** The context of the parent; undefined: it has none. */
  const parentOf = ({ parent }: SpanOptions): Context | undefined => {
    if (parent === undefined) {
      const current = running.getStore();
      return current === undefined ? undefined : contexts.get(current);
    }
    const given = readTraceparent(parent);
    if (given === undefined) return undefined;
    const { traceId, spanId, isSampled } = given;
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: isSampled ? 1 : 0, isRemote: true });
  };

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const giveUp = new AbortController();
    const ended = provider.shutdown().catch(() => undefined);
    await Promise.race([ended, delay(closeMs, undefined, { signal: giveUp.signal }).catch(() => undefined)]);
    giveUp.abort();
  };

  return {
    start: (given) => {
      const { name, kind, attributes = {}, mayBegin = false } = given;
      const current = running.getStore();
      // work below a span that the sampler left out
      if (given.parent === undefined && current?.isRecorded === false) return undefined;
      const parent = parentOf(given);
      if (parent === undefined && !mayBegin) return undefined;
      const otelKind = kind === undefined ? SpanKind.INTERNAL : kinds[kind];
      return wrap(tracer.startSpan(name, { kind: otelKind, attributes }, parent ?? ROOT_CONTEXT));
    },
    current: () => running.getStore(),
    close: () => (closing ??= close()),
  };
};
