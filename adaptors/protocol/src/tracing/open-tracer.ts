import type { Tracer, TracerOptions } from './tracer.js';

const isGiven = (value: string | undefined): boolean => value !== undefined && value.trim() !== '';

/**
 * Opens the tracer of a process. Undefined: traces are off, because `OTEL_EXPORTER_OTLP_ENDPOINT` is not set, or another
 * variable switches them off. Then no package of OpenTelemetry is loaded.
 */
export const openTracer = async (options: TracerOptions): Promise<Tracer | undefined> => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER } = options.environment;
  const isOff =
    !isGiven(OTEL_EXPORTER_OTLP_ENDPOINT) ||
    OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true' ||
    OTEL_TRACES_EXPORTER?.trim() === 'none';
  if (isOff) return undefined;
  const { createTracer } = await import('./create-tracer.js');
  return createTracer(options);
};
