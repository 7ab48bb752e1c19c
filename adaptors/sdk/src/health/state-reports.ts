import type { StatusReport } from '@fds/adaptor-protocol';
import type { AdaptorLog, SourceFault } from '../adaptor.js';
import type { OpsChannel } from '../operations/ops-channel.js';
import type { RunningState } from './running-state.js';

/** Reports the state of the adaptor and of its sources to the server. */
export interface StateReports {
  /** Reports the current state, and the faults of sources. Rejects when the adaptor is not connected. */
  report(): Promise<void>;
  /** Enters ERROR and reports it. */
  fail(reason: string): Promise<void>;
  /** Notes a fault of a source, or with undefined that it works, and reports the change soon. */
  setSource(source: string, fault: SourceFault | undefined): void;
  /** Reports STARTING, which the server answers by START. Does not reject. */
  askForStart(): Promise<void>;
  /** Reports DOWN. Does not reject. */
  sayDown(): Promise<void>;
}

export interface StateReportsOptions {
  readonly state: Pick<RunningState, 'reported' | 'stopping'>;
  readonly ops: Pick<OpsChannel, 'reportState' | 'reportSources'>;
  readonly sdk: StatusReport['sdk'];
  readonly log: AdaptorLog;
}

/** Changes of sources within this time are reported together. */
const gatherMs = 100;

export const createStateReports = ({ state, ops, sdk, log }: StateReportsOptions): StateReports => {
  const { reported } = state;
  /** The state in the last report. */
  let said: StatusReport['state'] | undefined;
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();
  /** Runs the work after the reports before it, even if they failed. */
  const inTurn = (work: () => Promise<void>): Promise<void> => (last = last.then(work, work));

  const sayState = async (): Promise<void> => {
    const report = reported.report(sdk);
    await ops.reportState(report);
    said = report.state;
  };
  const sayAll = async (): Promise<void> => {
    const { current, reason } = reported; // a later change is reported by its own
    await sayState();
    // a report of the state clears the message about the sources
    if (reason !== undefined) await ops.reportSources(current, reason);
  };
  const saySources = async (): Promise<void> => {
    // before the start and after the end, and with a refused configuration, the state has its own message
    if (state.stopping !== undefined || !['STARTED', 'PAUSED'].includes(reported.own)) return;
    if (reported.current !== said) await sayState();
    await ops.reportSources(reported.current, reported.reason ?? '');
  };

  const saySourcesSoon = (): void => {
    timer = undefined;
    inTurn(saySources).catch((error: Error) => log.debug({ reason: error.message }, 'the sources were not reported'));
  };

  return {
    report: () => inTurn(sayAll),
    fail: async (reason) => {
      reported.enter('ERROR', reason);
      await inTurn(sayAll);
    },
    setSource: (source, fault) => {
      if (!reported.setFault(source, fault)) return;
      timer ??= setTimeout(saySourcesSoon, gatherMs).unref();
    },
    askForStart: () =>
      ops
        .reportState({ state: 'STARTING', sdk })
        .catch((error: Error) => log.debug({ reason: error.message }, 'the state was not reported')),
    sayDown: () => ops.reportState({ state: 'DOWN', sdk }).catch(() => undefined),
  };
};
