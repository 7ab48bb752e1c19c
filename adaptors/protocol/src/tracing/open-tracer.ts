import type { Tracer, TracerOptions } from './tracer.js';

const isGiven = (value: string | undefined): boolean => value !== undefined && value.trim() !== '';

/** Why the variables cannot be used. Undefined: they can. */
const faultOf = (environment: TracerOptions['environment']): string | undefined => {
  const endpoint = environment['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '';
  if (!URL.canParse(endpoint) || !/^https?:/i.test(endpoint))
    return 'OTEL_EXPORTER_OTLP_ENDPOINT must be an address with http or https';
  for (const name of ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL']) {
    const protocol = environment[name]?.trim() ?? '';
    if (!['', 'http/json', 'http/protobuf'].includes(protocol)) return `${name} must be http/json or http/protobuf`;
  }
  return undefined;
};

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
  const fault = faultOf(options.environment);
  if (fault !== undefined) {
    options.onFailure(new Error(`${fault}; traces are off`));
    return undefined;
  }
  const { createTracer } = await import('./create-tracer.js');
  return createTracer(options);
};
