import type { Drain } from '@fds/service';
import type { FastifyInstance } from 'fastify';

/** One condition for the process to be ready. Resolves to the fault, or to undefined. */
export type HealthCheck = () => Promise<string | undefined>;

const checkMs = 2_000;

const withinTime = (check: HealthCheck): Promise<string | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('does not answer'), checkMs);
  });
  return Promise.race([check().catch(() => 'fails'), late]).finally(() => clearTimeout(timer));
};

/**
 * `GET /health`: 200 `{"status": "UP", "checks": {...}}` when everything the process serves is ready, otherwise 503 with
 * DOWN. It is 503 with the detail `ending` from the begin of the drain.
 * `GET /health/live`: 200 as long as the process answers.
 */
export const registerHealthRoutes = (
  app: FastifyInstance,
  checks: Readonly<Record<string, HealthCheck>>,
  drain: Pick<Drain, 'hasBegun'>,
): void => {
  app.get('/health/live', () => ({ status: 'UP' }));
  app.get('/health', async (_request, reply) => {
    if (drain.hasBegun) {
      void reply.code(503).header('retry-after', '1');
      return { status: 'DOWN', detail: 'ending' };
    }
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await withinTime(check)] as const),
    );
    const down = results.some(([, fault]) => fault !== undefined);
    if (down) void reply.code(503).header('retry-after', '1');
    return {
      status: down ? 'DOWN' : 'UP',
      checks: Object.fromEntries(results.map(([name, fault]) => [name, fault === undefined ? 'UP' : 'DOWN'])),
    };
  });
};
