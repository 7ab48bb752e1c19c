import type { AdaptorLog } from '../adaptor.js';
import type { AdaptorHandlers } from '../handlers.js';
import type { RunningState } from './running-state.js';
import type { OpsChannel } from '../operations/ops-channel.js';
import type { AdaptorProperties } from '../properties/adaptor-properties.js';
import type { AdaptorFigures } from './adaptor-figures.js';
import { type HealthReport, type HealthServer, isHealthy, openHealthServer } from './open-health-server.js';
import { type MetricsState, writeMetrics } from './write-metrics.js';

/** The health of a running adaptor, and the endpoint that shows it. */
export interface Health {
  report(): HealthReport;
  /**
   * Opens the endpoint.
   *
   * @returns its port
   * @throws Error when the port is in use
   */
  open(): Promise<number>;
  /** Closes the endpoint when it is open. */
  close(): Promise<void>;
}

export interface HealthOptions {
  readonly state: Pick<RunningState, 'reported' | 'configuration'>;
  readonly ops: Pick<OpsChannel, 'connected'>;
  readonly handlers: Pick<AdaptorHandlers, 'health'>;
  readonly properties: Pick<AdaptorProperties, 'hostname' | 'port'>;
  /** The operator chose the port: no other one is taken in its place. */
  readonly isPortGiven: boolean;
  readonly figures: AdaptorFigures;
  readonly sdk: MetricsState['sdk'];
  /** The data client, and the messages that are on their way. */
  readonly dataState: () => { readonly connected: boolean } & Pick<MetricsState, 'journal' | 'waitingMessages'>;
  readonly log: AdaptorLog;
}

/** The adaptor is up from now on. */
export const createHealth = (options: HealthOptions): Health => {
  const { state, ops, handlers, isPortGiven, figures, sdk, dataState, log } = options;
  const { hostname, port } = options.properties;
  const startedAt = performance.now();
  let server: HealthServer | undefined;

  const report = (): HealthReport => ({
    adaptorService: ops.connected && ['STARTED', 'PAUSED'].includes(state.reported.current) ? 'UP' : 'DOWN',
    upTimeMilliseconds: Math.round(performance.now() - startedAt),
    handlers: handlers.health?.() ?? {},
    ...(state.reported.reason === undefined ? {} : { reason: state.reported.reason }),
  });

  const metrics = (): string => {
    const { connected, ...data } = dataState();
    return writeMetrics(figures, {
      ...data,
      isUp: isHealthy(report()),
      state: state.reported.current,
      discoveryMode: state.configuration?.discoveryMode === true,
      connected: { ops: ops.connected, data: connected },
      sdk,
    });
  };

  return {
    report,
    open: async () => {
      server = await openHealthServer({
        hostname,
        port,
        onPortInUse: isPortGiven ? 'FAIL' : 'TAKE_ANOTHER',
        report,
        metrics,
      });
      if (server.port !== port && port !== 0) {
        log.warn(
          { port: server.port, inUse: port },
          'the port of the health endpoint is in use, another one was taken; port (PORT) sets it',
        );
      }
      return server.port;
    },
    close: async () => server?.close(),
  };
};
