import type { AdaptorLog } from '../adaptor.js';
import type { AdaptorHandlers } from '../handlers.js';
import type { RunningState } from './running-state.js';
import type { OpsChannel } from '../operations/ops-channel.js';
import type { AdaptorProperties } from '../properties/adaptor-properties.js';
import { type HealthReport, type HealthServer, openHealthServer } from './open-health-server.js';

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
  readonly state: Pick<RunningState, 'reported'>;
  readonly ops: Pick<OpsChannel, 'connected'>;
  readonly handlers: Pick<AdaptorHandlers, 'health'>;
  readonly properties: Pick<AdaptorProperties, 'hostname' | 'port'>;
  /** The operator chose the port: no other one is taken in its place. */
  readonly isPortGiven: boolean;
  readonly log: AdaptorLog;
}

/** The adaptor is up from now on. */
export const createHealth = (options: HealthOptions): Health => {
  const { state, ops, handlers, isPortGiven, log } = options;
  const { hostname, port } = options.properties;
  const startedAt = performance.now();
  let server: HealthServer | undefined;

  const report = (): HealthReport => ({
    adaptorService: ops.connected && ['STARTED', 'PAUSED'].includes(state.reported.current) ? 'UP' : 'DOWN',
    upTimeMilliseconds: Math.round(performance.now() - startedAt),
    handlers: handlers.health?.() ?? {},
    ...(state.reported.reason === undefined ? {} : { reason: state.reported.reason }),
  });

  return {
    report,
    open: async () => {
      server = await openHealthServer({ hostname, port, onPortInUse: isPortGiven ? 'FAIL' : 'TAKE_ANOTHER', report });
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
