import type { StatusReport } from '@fds/adaptor-protocol';
import type { AdaptorLog } from '../adaptor.js';
import type { OpsChannel } from '../operations/ops-channel.js';
import type { RunningState } from './running-state.js';

/** Reports the state of the adaptor to the server. */
export interface StateReports {
  /** Reports the current state. Rejects when the adaptor is not connected. */
  report(): Promise<void>;
  /** Enters ERROR and reports it. */
  fail(reason: string): Promise<void>;
  /** Reports STARTING, which the server answers by START. Does not reject. */
  askForStart(): Promise<void>;
  /** Reports DOWN. Does not reject. */
  sayDown(): Promise<void>;
}

export interface StateReportsOptions {
  readonly state: Pick<RunningState, 'reported'>;
  readonly ops: Pick<OpsChannel, 'reportState'>;
  readonly sdk: StatusReport['sdk'];
  readonly log: AdaptorLog;
}

export const createStateReports = ({ state, ops, sdk, log }: StateReportsOptions): StateReports => {
  const report = (): Promise<void> => ops.reportState(state.reported.report(sdk));
  return {
    report,
    fail: async (reason) => {
      state.reported.enter('ERROR', reason);
      await report();
    },
    askForStart: () =>
      ops
        .reportState({ state: 'STARTING', sdk })
        .catch((error: Error) => log.debug({ reason: error.message }, 'the state was not reported')),
    sayDown: () => ops.reportState({ state: 'DOWN', sdk }).catch(() => undefined),
  };
};
