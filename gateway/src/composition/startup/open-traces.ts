import { openTracer } from '@fds/adaptor-protocol';
import { useTracer, type Lifetime, type Log } from '@fds/service';
import { serviceVersion } from '../service-version.js';

/** Opens the traces of the process, as the variables `OTEL_*` say. The lifetime sends the last spans. */
export const openTraces = async (lifetime: Lifetime, log: Log): Promise<void> => {
  const tracer = await openTracer({
    environment: process.env,
    serviceName: 'fds',
    serviceVersion: serviceVersion(),
    onFailure: (error) => log.warn({ err: error }, 'the collector of traces takes no spans, and they are dropped'),
  });
  if (tracer === undefined) return;
  useTracer(tracer);
  lifetime.own(tracer);
  lifetime.onClose(() => useTracer(undefined));
};
