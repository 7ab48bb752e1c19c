import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Content of `GET /health` (specification, Adaptor health endpoint). */
export interface HealthReport {
  readonly adaptorService: 'UP' | 'DOWN';
  readonly upTimeMilliseconds: number;
  /** `<domain>:<version>` to `UP` or `DOWN`. */
  readonly handlers: Readonly<Record<string, 'UP' | 'DOWN'>>;
  /** The sources that cannot be used as configured, and the causes. */
  readonly reason?: string;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

export const isHealthy = ({ adaptorService, handlers }: HealthReport): boolean =>
  adaptorService === 'UP' && Object.values(handlers).every((state) => state === 'UP');

const reasonIn = ({ reason }: HealthReport): object => (reason === undefined ? {} : { reason });

const bodyOf = (report: HealthReport): object =>
  isHealthy(report)
    ? { status: 'UP', ...reasonIn(report) }
    : {
        status: 'DOWN',
        adaptorService: report.adaptorService,
        upTimeMilliseconds: report.upTimeMilliseconds,
        ...report.handlers,
        ...reasonIn(report),
      };

export interface HealthPlace {
  readonly hostname: string;
  /** 0: any free port. */
  readonly port: number;
  /** TAKE_ANOTHER: use the next free port. */
  readonly onPortInUse: 'FAIL' | 'TAKE_ANOTHER';
}

/** Number of ports that are tried after the one that is in use. */
const furtherPorts = 100;

const isInUse = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'EADDRINUSE';

const listenOn = async (server: Server, hostname: string, port: number): Promise<void> => {
  server.listen(port, hostname);
  await once(server, 'listening');
};

const listen = async (server: Server, { hostname, port, onPortInUse }: HealthPlace): Promise<void> => {
  for (let tried = port; ; tried += 1) {
    try {
      return await listenOn(server, hostname, tried);
    } catch (error) {
      if (!isInUse(error)) throw error;
      if (onPortInUse === 'FAIL')
        throw new Error(
          `port ${port} of ${hostname} is in use: set port (PORT) to another one, or to 0 for any free one`,
          {
            cause: error,
          },
        );
      if (tried === port + furtherPorts) throw error;
    }
  }
};

const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** @throws Error when it cannot listen */
export const openHealthServer = async (
  options: HealthPlace & {
    readonly report: () => HealthReport;
    /** Figures in the text format of Prometheus. */
    readonly metrics: () => string;
  },
): Promise<HealthServer> => {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0];
    if (path !== '/health' && path !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    if (path === '/metrics') {
      response.writeHead(200, { 'content-type': metricsType, 'cache-control': 'no-store' }).end(options.metrics());
      return;
    }
    const report = options.report();
    response
      .writeHead(isHealthy(report) ? 200 : 503, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      .end(JSON.stringify(bodyOf(report)));
  });
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      server.close();
      if (server.listening) await once(server, 'close');
    },
  };
};
