import type { DataChannel } from '../channel/data-channel.js';
import type { AdaptorHandlers } from '../handlers.js';
import type { Health } from '../health/create-health.js';
import { isHealthy } from '../health/open-health-server.js';
import type { EventTally } from '../operations/open-event-tally.js';
import type { Operable } from '../operations/run-operation.js';
import type { Configuring } from './create-configuring.js';
import type { Work } from './create-work.js';
import type { RunningState } from '../health/running-state.js';
import type { StateReports } from '../health/state-reports.js';

export interface OperableParts {
  readonly state: RunningState;
  readonly handlers: Pick<AdaptorHandlers, 'refreshState'>;
  readonly work: Pick<Work, 'play' | 'pause'>;
  readonly configuring: Pick<Configuring, 'configure'>;
  readonly reports: Pick<StateReports, 'report' | 'fail'>;
  readonly health: Pick<Health, 'report'>;
  readonly tally: Pick<EventTally, 'metrics'>;
  readonly data: Pick<DataChannel, 'retryWaiting'>;
}

/** The running adaptor, as the operations of the server act on it. */
export const createOperable = (parts: OperableParts): Operable => {
  const { state, handlers, work, configuring, reports, health, tally, data } = parts;
  return {
    get state() {
      return state.reported.current;
    },
    get reason() {
      return state.reported.reason;
    },
    intend: (next) => {
      state.shallPlay = next === 'PLAY';
    },
    configure: configuring.configure,
    play: work.play,
    pause: work.pause,
    refreshState: async () => {
      await handlers.refreshState?.();
      data.retryWaiting();
    },
    reportState: reports.report,
    fail: reports.fail,
    health: () => {
      const report = health.report();
      const { reason, upTimeMilliseconds: uptime } = report;
      return { status: isHealthy(report) ? 'UP' : 'DOWN', uptime, ...(reason === undefined ? {} : { reason }) };
    },
    metrics: tally.metrics,
  };
};
