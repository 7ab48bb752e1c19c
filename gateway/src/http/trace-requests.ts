import { isTracing, startSpan, type Span } from '@fds/service';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Probes and scrapes come all the time and would fill the traces. */
const untraced: ReadonlySet<string | undefined> = new Set(['/health', '/health/live', '/metrics']);

/**
 * Makes a span of each request, named by the template of its path, that continues the trace of `traceparent`. Call it before
 * other hooks are added: they run in the span. Where traces are off, it adds nothing.
 */
export const traceRequests = (app: FastifyInstance): void => {
  if (!isTracing()) return;
  const spans = new WeakMap<FastifyRequest, Span>();
  const within = (request: FastifyRequest, done: () => void): void => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.run(done);
  };
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, is404, routeOptions, headers } = request;
    const route = is404 ? undefined : routeOptions.url;
    if (untraced.has(route) && route !== undefined) return done();
    const span = startSpan({
      name: route === undefined ? method : `${method} ${route}`,
      kind: 'SERVER',
      // the span of an earlier request of the connection is not the parent
      parent: headers.traceparent ?? '',
      mayBegin: true,
      attributes: { 'http.request.method': method, ...(route === undefined ? {} : { 'http.route': route }) },
    });
    if (span !== undefined) spans.set(request, span);
    return within(request, done);
  });
  // the body was read on behalf of the connection
  app.addHook('preValidation', (request, _reply, done) => within(request, done));
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode } = reply;
    const span = spans.get(request);
    span?.set({ 'http.response.status_code': statusCode });
    span?.end(statusCode >= 500 ? String(statusCode) : undefined);
    within(request, done);
  });
};
