import type { AdaptorLog, StopReason } from '../adaptor.js';
import type { RequestServer } from '../assembly/serve-requests.js';
import type { DataChannel } from '../channel/data-channel.js';
import type { KeyedTaskPool } from '../channel/create-keyed-task-pool.js';
import type { WaitingReports } from '../channel/waiting/waiting-reports.js';
import { createDeferred } from '../deferred.js';
import { doAll } from '../do-all.js';
import type { AdaptorHandlers } from '../handlers.js';
import type { Health } from '../health/create-health.js';
import type { Journal } from '../journal/open-journal.js';
import { newUuid } from '../new-uuid.js';
import type { Announcement } from '../operations/announce-until-heard.js';
import type { EventTally } from '../operations/open-event-tally.js';
import type { OpsChannel } from '../operations/ops-channel.js';
import type { RefusalAcks } from '../operations/refusal-acks.js';
import type { Configuring } from './create-configuring.js';
import type { Work } from './create-work.js';
import type { RunningState } from '../health/running-state.js';
import type { StateReports } from '../health/state-reports.js';

/** The parts of a running adaptor that its stop brings to rest. */
export interface StoppingParts {
  readonly state: RunningState;
  readonly handlers: Pick<AdaptorHandlers, 'stop'>;
  readonly work: Pick<Work, 'quiet' | 'haltData'>;
  readonly configuring: Pick<Configuring, 'cancel'>;
  readonly starting: Pick<Announcement, 'heard'>;
  readonly operations: Pick<KeyedTaskPool, 'halt'>;
  readonly assemblies: Pick<RequestServer, 'halt'>;
  /** Ends the assembly requests that are being handled. */
  readonly giveUp: AbortController;
  readonly refusalAcks: Pick<RefusalAcks, 'flush'>;
  readonly reports: Pick<StateReports, 'sayDown'>;
  readonly ops: Pick<OpsChannel, 'connected' | 'answerOperation' | 'close'>;
  readonly data: Pick<DataChannel, 'disconnect' | 'flush' | 'refuseWaiting'>;
  readonly waitingReports: Pick<WaitingReports, 'close'>;
  readonly tally: Pick<EventTally, 'unreported' | 'close'>;
  readonly journal: Pick<Journal, 'close'>;
  readonly health: Pick<Health, 'close'>;
  /** Ends the log of counts. */
  readonly endCountsLog: () => void;
  /** Sends the spans that wait. */
  readonly closeTraces: () => Promise<void>;
  readonly log: AdaptorLog;
}

export interface Stopping {
  /** Resolves with the reason when the stop begins. */
  readonly begun: Promise<StopReason>;
  /** Resolves with the reason when everything has ended. */
  readonly ended: Promise<StopReason>;
  /** Stops the adaptor. Every call waits for the same stop. */
  stop(): Promise<void>;
  /** Stops the adaptor for a reason that is not its own. Does nothing when it stops already. */
  end(reason: Exclude<StopReason, 'STOPPED'>): void;
}

/** Counts that the server would otherwise receive only when the adaptor is back. */
const sendCounts = ({ tally, ops }: StoppingParts): void => {
  const metrics = tally.unreported();
  if (metrics === undefined) return;
  ops.answerOperation({ requestId: newUuid(), operation: 'METRICS', accepted: true, metrics });
};

const sayGoodbye = async (parts: StoppingParts): Promise<void> => {
  // the server takes no report of a superseded process: another process is this adaptor
  if (!parts.ops.connected || parts.state.stopReason === 'SUPERSEDED') return;
  sendCounts(parts);
  await parts.reports.sayDown();
};

/** Finishes what is under way, says goodbye, and closes the bus, then the journal that it writes to. */
const closeBus = (parts: StoppingParts): Promise<void> => {
  const { work, configuring, starting, giveUp, operations, assemblies, refusalAcks, ops, data, tally, journal } = parts;
  parts.endCountsLog();
  starting.heard();
  parts.waitingReports.close();
  return doAll([
    work.haltData,
    () => configuring.cancel(),
    () => giveUp.abort(),
    () => operations.halt(),
    () => assemblies.halt(),
    work.haltData, // an operation that was under way may have begun to play
    () => refusalAcks.flush(),
    () => sayGoodbye(parts),
    () => ops.close(),
    () => data.flush(),
    () => tally.close(),
    () => journal.close(),
  ]);
};

/** Another process is this adaptor: a connection of this one would end that of the other. */
const yieldBus = async ({ starting, ops, data }: StoppingParts): Promise<void> => {
  starting.heard();
  await Promise.all([ops.close(), data.disconnect()]);
};

const stopAll = async (parts: StoppingParts): Promise<void> => {
  const { state, handlers, work, data, health, log } = parts;
  if (state.stopReason === 'SUPERSEDED') await yieldBus(parts);
  data.refuseWaiting(); // a source that waits for room in the journal would not come to rest
  await work.quiet().catch((error: unknown) => log.error({ err: error }, 'the pause failed'));
  await doAll([() => closeBus(parts), () => health.close(), () => handlers.stop?.(), parts.closeTraces]);
};

export const createStopping = (parts: StoppingParts): Stopping => {
  const { state, log } = parts;
  const begun = createDeferred();
  const ended = createDeferred();

  const stopOnce = async (): Promise<void> => {
    begun.resolve();
    try {
      await stopAll(parts);
    } finally {
      state.reported.enter('DOWN');
      ended.resolve();
    }
  };
  const stop = (): Promise<void> => (state.stopping ??= stopOnce());

  return {
    begun: begun.promise.then(() => state.stopReason),
    ended: ended.promise.then(() => state.stopReason),
    stop,
    end: (reason) => {
      if (state.stopping !== undefined) return;
      state.stopReason = reason;
      stop().catch((error: unknown) => log.error({ err: error }, 'the stop failed'));
    },
  };
};
