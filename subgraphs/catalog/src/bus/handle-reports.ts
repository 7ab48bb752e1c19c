import { setTimeout as delay } from 'node:timers/promises';
import type { ServerBus, UpMessage } from '@fds/adaptor-bus';
import {
  describeFaults,
  emptyInstanceBook,
  heardInstance,
  type InstanceBook,
  maxLogLength,
  parseMessage,
  salvageAnswer,
  type AdaptorError,
  type AdaptorMetrics,
  type Message,
  type OpsAnswer,
  type SalvagedAnswer,
  type StatusReport,
  type Superseded,
} from '@fds/adaptor-protocol';
import { toUnavailable } from '@fds/database';
import { AppError } from '@fds/errors';
import type { KeyQueues, Log } from '@fds/service';
import type { AdaptorReport } from '../domain/adaptors/adaptor-state.js';
import { contentionOf, type NamelessStarts, noStarts, notedStart } from '../domain/adaptors/contended-starts.js';
import { maskedText } from '../domain/operations/masked-text.js';
import type { Questions } from './create-questions.js';
import type { DiscoveryStore } from '../store/adaptors/discovery-store.js';
import type { AdaptorStates } from '../store/adaptors/adaptor-states.js';
import type { SendOperation } from '../actions/adaptors/adaptor-actions.js';

/** The message of a report. It is the same when this or another process receives it again. */
interface Bringer {
  readonly id: string;
  readonly time: Date;
}

/**
 * Port: accepts errors that an adaptor could not handle. An error of kind DATA becomes one data issue, even if its
 * message is received several times and by several processes.
 */
export type TakeAdaptorError = (adaptorUuid: string, error: AdaptorError, message: Bringer) => Promise<void>;

/** Port: notices of events that became data issues. */
export interface RefusalNotices {
  /** Sends the notices that the adaptor has not acknowledged once more. */
  readonly repeat: (adaptorUuid: string) => Promise<void>;
  /** Called when the adaptor has acknowledged the notices of these issues. */
  readonly acknowledged: (adaptorUuid: string, issueUuids: readonly string[]) => Promise<void>;
}

export interface ReportHandlingOptions {
  readonly bus: Pick<ServerBus, 'handle' | 'connected'>;
  readonly states: Pick<AdaptorStates, 'report' | 'noteSource'>;
  readonly send: SendOperation;
  /** Sends the configuration to a process that only checks it. */
  readonly answerCheck: (adaptorUuid: string, requestId: string) => Promise<void>;
  /** Notifies a process that another one has taken over. */
  readonly tellSuperseded: (adaptorUuid: string, notice: Superseded) => Promise<void>;
  readonly questions: Pick<Questions, 'answered' | 'unreadable' | 'gone'>;
  /** Should this process handle the message? */
  readonly take: (adaptorUuid: string, messageId: string) => Promise<boolean>;
  /** Stores counts that arrived without a request. */
  readonly saveCounts: (adaptorUuid: string, metrics: AdaptorMetrics) => Promise<void>;
  /** Stores that a scan in discovery mode is complete. */
  readonly noteDiscovery: DiscoveryStore['note'];
  readonly takeAdaptorError: TakeAdaptorError | undefined;
  readonly refusals: RefusalNotices | undefined;
  /** Keeps the work for one adaptor in the order of its messages. */
  readonly queues: KeyQueues;
  readonly log: Log;
  readonly now: () => Date;
}

/** While the database does not answer, a report of the state is tried again after so long. */
const retryMs = 1_000;

const isAway = (error: unknown): boolean => {
  const shown = toUnavailable(error);
  return shown instanceof AppError && shown.code === 'UNAVAILABLE';
};

/** The state in an answer: its `state`, or that of an accepted PAUSE. */
const stateOf = ({ state, operation, accepted }: OpsAnswer): AdaptorReport | undefined =>
  state ?? (operation === 'PAUSE' && accepted ? 'PAUSED' : undefined);

/**
 * The part of an error that is logged. It contains the text only if the error names no record; otherwise an issue
 * stores the text.
 */
const loggedOf = (adaptorUuid: string, { level, kind, message, ...about }: AdaptorError): object => ({
  entryType: 'ADAPTOR_ERROR',
  'source-adaptor-uuid': adaptorUuid,
  level,
  kind,
  ...about,
  ...(kind === 'DATA' ? {} : { message: maskedText(message.slice(0, maxLogLength)) }),
});

/**
 * Handles `up/status` and `up/ops` (docs/protocols/adaptor-bus.md#fdsstatusv1-on-upstatus): the state follows the
 * adaptor's reports.
 */
export const handleReports = (options: ReportHandlingOptions): void => {
  const { bus, states, send, answerCheck, tellSuperseded, questions, take, saveCounts, noteDiscovery } = options;
  const { takeAdaptorError, refusals } = options;
  const { queues, log, now } = options;
  const refuse = (adaptorUuid: string, kind: string, faults: string): void => {
    log.warn({ adaptorUuid, kind, faults }, 'message of an adaptor refused');
  };

  const books = new Map<string, InstanceBook>();
  /** The process that took over from the reporting one, if any. */
  const supersededBy = (adaptorUuid: string, { state, instance }: StatusReport): string | undefined => {
    if (state !== 'STARTING') return undefined;
    const { book, by } = heardInstance(books.get(adaptorUuid) ?? emptyInstanceBook, instance);
    books.set(adaptorUuid, book);
    return by;
  };

  const starts = new Map<string, NamelessStarts>();
  /** The sentence about processes without a name that end each other's connections, if there are any. */
  const contention = (adaptorUuid: string, { state, instance }: StatusReport): string | undefined => {
    const before = starts.get(adaptorUuid) ?? noStarts;
    const nowMs = now().getTime();
    const present = state === 'STARTING' && instance === undefined ? notedStart(before, nowMs) : before;
    if (present !== before) starts.set(adaptorUuid, present);
    const sentence = contentionOf(present, nowMs);
    if (sentence !== undefined && contentionOf(before, nowMs) === undefined) log.warn({ adaptorUuid }, sentence);
    return sentence;
  };

  /** The latest report of each adaptor. */
  const latest = new Map<string, string>();
  /**
   * Stores a state. The broker has acknowledged the report already, and an adaptor that has ended does not send it again. So the
   * report waits for the database, unless a later one of the adaptor replaces it.
   */
  const storeState: AdaptorStates['report'] = async (adaptorUuid, said) => {
    for (;;) {
      try {
        return await states.report(adaptorUuid, said);
      } catch (error) {
        if (!isAway(error) || !bus.connected || latest.get(adaptorUuid) !== said.messageId) throw error;
        log.warn({ adaptorUuid, err: error }, 'the state of an adaptor waits for the database');
        await delay(retryMs);
      }
    }
  };

  bus.handle('status', async ({ adaptorUuid, payload }: UpMessage) => {
    const parsed = parseMessage('up/status', payload);
    if (!parsed.ok) {
      refuse(adaptorUuid, 'status', describeFaults(parsed.faults));
      return;
    }
    const { id: messageId, data } = parsed.value;
    const by = supersededBy(adaptorUuid, data);
    if (by !== undefined && data.instance !== undefined) {
      log.warn(
        { adaptorUuid, instance: data.instance, by },
        'two processes use the credentials of an adaptor; the earlier one is asked to end',
      );
      await tellSuperseded(adaptorUuid, { instance: data.instance, by });
      return;
    }
    const warning = contention(adaptorUuid, data);
    if (data.state === 'DOWN') questions.gone(adaptorUuid);
    latest.set(adaptorUuid, messageId);
    await queues.run(adaptorUuid, async () => {
      const said = { state: data.state, message: data.stateMessage, warning, messageId };
      const operation = await storeState(adaptorUuid, { ...said, from: 'STATUS' });
      if (operation === undefined) return;
      await send(adaptorUuid, operation);
      if (operation === 'START') await refusals?.repeat(adaptorUuid);
    });
  });

  const takeError = async (adaptorUuid: string, error: AdaptorError, message: Bringer): Promise<void> => {
    if (error.kind === 'SOURCE') {
      const said = { message: error.message, messageId: message.id };
      const isTaken = await queues.run(adaptorUuid, () => states.noteSource(adaptorUuid, said));
      // an empty message says that the source can be used again
      if (isTaken && error.message !== '') log.warn(loggedOf(adaptorUuid, error), 'an adaptor reports an error');
      return;
    }
    await takeAdaptorError?.(adaptorUuid, error, message);
    if (await take(adaptorUuid, message.id)) {
      log.warn(loggedOf(adaptorUuid, error), 'an adaptor reports an error');
    }
  };

  const takeAnswer = async (adaptorUuid: string, messageId: string, answer: OpsAnswer): Promise<void> => {
    const awaited = questions.answered(adaptorUuid, answer);
    if (!awaited && answer.metrics !== undefined && (await take(adaptorUuid, messageId))) {
      await saveCounts(adaptorUuid, answer.metrics);
    }
    const state = stateOf(answer);
    // STARTING in an answer does not mean a new connection, and only `up/status` is answered by START
    if (state === undefined || state === 'STARTING') return;
    const said = { state, message: answer.message, messageId } as const;
    await queues.run(adaptorUuid, async () => states.report(adaptorUuid, { ...said, from: 'ANSWER' }));
  };

  /** Uses the readable part of an invalid answer, and ends the request without waiting for the time-out. */
  const takeSalvaged = async (adaptorUuid: string, { requestId, id, answer }: SalvagedAnswer): Promise<void> => {
    if (answer === undefined) questions.unreadable(adaptorUuid, requestId);
    else if (id === undefined) questions.answered(adaptorUuid, answer);
    else await takeAnswer(adaptorUuid, id, answer);
  };

  bus.handle('ops', async ({ adaptorUuid, payload }: UpMessage) => {
    const parsed = parseMessage('up/ops', payload);
    if (!parsed.ok) {
      refuse(adaptorUuid, 'ops', describeFaults(parsed.faults));
      const salvaged = salvageAnswer(payload);
      if (salvaged !== undefined) await takeSalvaged(adaptorUuid, salvaged);
      return;
    }
    const message: Message<'up/ops'> = parsed.value;
    if (message.type === 'fds.adaptor.error.v1') {
      await takeError(adaptorUuid, message.data, { id: message.id, time: new Date(message.time) });
    } else if (message.type === 'fds.refused.ack.v1') {
      await refusals?.acknowledged(adaptorUuid, message.data.issueUuids);
    } else if (message.type === 'fds.discovered.v1') {
      await noteDiscovery(adaptorUuid, message.data, { messageId: message.id, now: now() });
    } else if (message.type === 'fds.check.v1') {
      if (await take(adaptorUuid, message.id)) await answerCheck(adaptorUuid, message.data.requestId);
    } else if (message.type === 'fds.ops.answer.v1') {
      await takeAnswer(adaptorUuid, message.id, message.data);
    }
  });
};
