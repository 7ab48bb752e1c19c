import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What `GET /health` tells (specification, Adaptor health endpoint). */
export interface HealthReport {
  readonly adaptorService: 'UP' | 'DOWN';
  readonly upTimeMilliseconds: number;
  /** `<domain>:<version>` to `UP` or `DOWN`. */
  readonly handlers: Readonly<Record<string, 'UP' | 'DOWN'>>;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

export const isHealthy = ({ adaptorService, handlers }: HealthReport): boolean =>
  adaptorService === 'UP' && Object.values(handlers).every((state) => state === 'UP');

const bodyOf = (report: HealthReport): object =>
  isHealthy(report)
    ? { status: 'UP' }
    : {
        status: 'DOWN',
        adaptorService: report.adaptorService,
        upTimeMilliseconds: report.upTimeMilliseconds,
        ...report.handlers,
      };

/** @throws Error (EADDRINUSE and the like) when it cannot listen */
export const openHealthServer = async (options: {
  readonly hostname: string;
  readonly port: number;
  readonly report: () => HealthReport;
}): Promise<HealthServer> => {
  const server = createServer((request, response) => {
    if (request.url?.split('?', 1)[0] !== '/health') {
      response.writeHead(404).end();
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    const report = options.report();
    response
      .writeHead(isHealthy(report) ? 200 : 503, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      .end(JSON.stringify(bodyOf(report)));
  });
  server.listen(options.port, options.hostname);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      server.close();
      if (server.listening) await once(server, 'close');
    },
  };
};
