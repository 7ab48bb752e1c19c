import { openTracer, type Position } from '@fds/adaptor-protocol';
import type { AdaptorOptions } from './adaptor-options.js';
import type { Adaptor, AdaptorLog, RunningAdaptor } from './adaptor.js';
import { serveRequests } from './assembly/serve-requests.js';
import { createServerClock } from './assembly/server-clock.js';
import { applyMessage } from './channel/apply-message.js';
import { createDataChannel } from './channel/data-channel.js';
import { createKeyedTaskPool } from './channel/create-keyed-task-pool.js';
import { createWaitingReports } from './channel/waiting/waiting-reports.js';
import { watchWaiting } from './channel/waiting/watch-waiting.js';
import { createDeferred } from './deferred.js';
import type { AdaptorProperties } from './properties/adaptor-properties.js';
import { withDomains } from './domain-handlers.js';
import type { AdaptorHandlers } from './handlers.js';
import { AdaptorFigures } from './health/adaptor-figures.js';
import { createHealth } from './health/create-health.js';
import { buildReports } from './journal/build-reports.js';
import { openJournal } from './journal/open-journal.js';
import { adaptorForAuthor, runningAdaptor } from './lifecycle/adaptor-for-author.js';
import { createConfiguring } from './lifecycle/create-configuring.js';
import { createOperable } from './lifecycle/create-operable.js';
import { createOperationTaker } from './lifecycle/create-operation-taker.js';
import { createStopping } from './lifecycle/create-stopping.js';
import { createWork } from './lifecycle/create-work.js';
import { logCounts } from './lifecycle/log-counts.js';
import { readStartSettings } from './lifecycle/read-start-settings.js';
import { createRunningState } from './health/running-state.js';
import { createStateReports } from './health/state-reports.js';
import { logToServer } from './log-to-server.js';
import { newUuid } from './new-uuid.js';
import { askAuthorization, type Authorization } from './operations/ask-authorization.js';
import { announceUntilHeard } from './operations/announce-until-heard.js';
import { openEventTally } from './operations/open-event-tally.js';
import { createOpsChannel } from './operations/ops-channel.js';
import { createRefusalAcks } from './operations/refusal-acks.js';
import { createNoticeTaker } from './operations/take-notice.js';

/** The message bus does not accept the adaptor's credentials. */
export class BusRefused extends Error {
  override readonly name = 'BusRefused';
}

const busRefused = (adaptorUuid: string, reason: string): string =>
  `the message bus refuses adaptor ${adaptorUuid} (${reason}): check client.id and client.secret`;

const unknownUser = (
  { messageBusUrl, clientId, authServerUrl }: AdaptorProperties,
  authorization: Exclude<Authorization, 'REFUSED'>,
): string =>
  `the broker at ${messageBusUrl} does not know user ${clientId}, or has another password for it: ${
    authorization === 'ACCEPTED'
      ? ''
      : `the authorization server at ${authServerUrl} does not answer, so check client.id and client.secret; if they are right, `
  }an operator adds it to the broker's users, see docs/operations.md#external-broker; the adaptor tries again`;

/** The server answers STARTING by START; after that long it is said again. */
const startingEveryMs = 5_000;

/** @throws the error of the author's function, after `close` */
const makeHandlers = (given: AdaptorOptions['handlers'], adaptor: Adaptor, close: () => void): AdaptorHandlers => {
  if (typeof given !== 'function') return withDomains(given);
  try {
    return withDomains(given(adaptor));
  } catch (error) {
    close();
    throw error;
  }
};

const forgetApplied = async ({ applied }: AdaptorHandlers, position: Position, log: AdaptorLog): Promise<void> => {
  try {
    await applied?.forget(position);
  } catch (error) {
    log.warn({ err: error }, 'applied positions were not forgotten');
  }
};

/**
 * Starts an adaptor: opens its journal and health endpoint, then connects to the message bus. Resolves when the bus let
 * it in, or when the bus cannot be reached now (it keeps trying). The caller stops it.
 *
 * @throws PropertyFault with all faults of the properties
 * @throws BusRefused when the bus refuses the credentials at the first contact, and the authorization server refuses them too
 * @throws Error when the journal or the port of the health endpoint is in use
 */
export const startAdaptor = async (options: AdaptorOptions): Promise<RunningAdaptor> => {
  const { properties, dataDirectory, isPortGiven, mayName, sdk, logs } = readStartSettings(options);
  const { adaptorUuid } = properties;
  const instance = newUuid();
  const tracer = await openTracer({
    environment: process.env,
    serviceName: 'fds-adaptor',
    serviceVersion: sdk.version,
    onFailure: (error) => logs.own.warn({ err: error }, 'the collector of traces takes no spans, and they are dropped'),
  });
  const giveUp = new AbortController();
  const admitted = createDeferred();
  const clock = createServerClock(Date.now);
  const figures = new AdaptorFigures(Date.now);
  const journal = openJournal(dataDirectory, newUuid, {
    ms: properties.journalKeepHours * 3_600_000,
    maxMessages: properties.journalKeepMaxEvents,
    now: Date.now,
  });
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const tally = openEventTally({ counts: journal.counts, nowMs: Date.now, timeZone });

  /** The last answer that was logged about a refusal of the bus; undefined: none since it let the adaptor in. */
  let said: Authorization | undefined;
  let isAsking = false;
  let isStarted = false;
  const heedRefusal = async (reason: string): Promise<void> => {
    if (isAsking || said === 'ACCEPTED' || said === 'REFUSED') return;
    isAsking = true;
    const authorization = properties.clientId === adaptorUuid ? await askAuthorization(properties) : 'REFUSED';
    isAsking = false;
    if (authorization === said) return;
    said = authorization;
    const message =
      authorization === 'REFUSED' ? busRefused(adaptorUuid, reason) : unknownUser(properties, authorization);
    if (authorization === 'REFUSED') admitted.reject(new BusRefused(message));
    else admitted.resolve(); // it keeps trying
    // before that, the error of the start has the message
    if (isStarted || authorization !== 'REFUSED') log.error({ reason }, message);
  };

  // The two channels to the server. Nothing arrives before they connect at the end of the start.
  const data = createDataChannel({
    properties,
    journal,
    apply: (message, attempt) =>
      applyMessage(message, { handlers, stopping: state.attempts.signal, figures, log, tracer, ...attempt }),
    together: () => handlers.together ?? 1,
    buildReports: (bodies) => buildReports(adaptorUuid, bodies, { newUuid, now: () => new Date() }),
    onStored: (position) => {
      ops.sendReports();
      void forgetApplied(handlers, position, log);
    },
    onAcknowledged: () => reportDiscoveries(),
    onWaiting: (event) => (event === 'CHANGED' ? waitingReports.changed() : waitingReports.connected()),
    ...watchWaiting({ reports: () => reports, log: () => log, maxWaiting: properties.journalMaxWaiting }),
    onUnreadable: () => figures.countReceived('unreadable'),
    log: logs.root,
    newUuid,
  });
  const ops = createOpsChannel({
    properties,
    journal,
    sdk,
    instance,
    onUp: () => {
      admitted.resolve();
      said = undefined;
      if (state.stopping === undefined) starting.begin();
      waitingReports.connected();
    },
    onDown: () => starting.heard(),
    onOperation: (message) => takeOperation(message),
    onNotice: (notice) => takeNotice(notice),
    onAssembly: (message) => assemblies.take(message),
    onRefused: (reason) => {
      void heedRefusal(reason);
    },
    onUnreachable: () => admitted.resolve(),
    onReportSent: () => data.reportSent(),
    log: logs.root,
    newUuid,
  });
  const reportDiscoveries = (): void => {
    for (const report of journal.discoveries.takeDue()) ops.reportDiscovered(report);
  };
  const log = logToServer(logs.own, ops.sendLog);
  const waitingReports = createWaitingReports({
    present: () => data.waiting(),
    send: ops.reportWaiting,
    isConnected: () => ops.connected,
  });

  const state = createRunningState(log);
  const reports = createStateReports({ state, ops, sdk, log });
  const adaptor = adaptorForAuthor({
    properties,
    state,
    data,
    ops,
    reports,
    journal,
    reportDiscoveries,
    figures,
    log,
    tracer,
  });
  const handlers = makeHandlers(options.handlers, adaptor, () => {
    tally.close();
    journal.close();
  });
  const health = createHealth({
    state,
    ops,
    handlers,
    properties,
    isPortGiven,
    figures,
    sdk,
    dataState: () => ({
      connected: data.connected,
      journal: { messages: data.unacknowledged, bytes: journal.bytes() },
      waitingMessages: data.waitingMessages,
    }),
    log,
  });

  const operations = createKeyedTaskPool(properties.opsConcurrency.max);
  const enqueue = (attempt: () => Promise<void>): void => operations.add('state', attempt);
  const starting = announceUntilHeard(reports.askForStart, startingEveryMs);
  const work = createWork({ state, handlers, data });
  const configuring = createConfiguring({
    state,
    handlers,
    work,
    reports,
    mayName,
    enqueue,
    onTakenOver: () => {
      figures.forgetSources();
      data.retryWaiting();
    },
  });
  const operable = createOperable({ state, handlers, work, configuring, reports, health, tally, data });
  const assemblies = serveRequests({
    handlers,
    concurrency: properties.assemblyConcurrency.max,
    clock,
    signal: giveUp.signal,
    answer: ops.answerAssembly,
    log,
    tracer,
  });
  const refusalAcks = createRefusalAcks(ops.acknowledgeRefusals);
  const endCountsLog = logCounts(properties, journal.counts, log);
  const stopping = createStopping({
    state,
    handlers,
    work,
    configuring,
    starting,
    operations,
    assemblies,
    giveUp,
    refusalAcks,
    reports,
    ops,
    data,
    waitingReports,
    tally,
    journal,
    health,
    endCountsLog,
    closeTraces: async () => tracer?.close(),
    log,
  });
  const takeOperation = createOperationTaker({
    state,
    operable,
    operations,
    clock,
    answer: ops.answerOperation,
    onStart: (discovered) => {
      starting.heard();
      if (discovered === undefined) return;
      journal.discoveries.keepKnown(discovered);
      reportDiscoveries();
    },
    onShutdown: () => stopping.end('SHUTDOWN'),
  });
  const takeNotice = createNoticeTaker({
    instance,
    handlers,
    onRefused: () => figures.countSent('issue'),
    onRefusalTaken: refusalAcks.add,
    onSuperseded: () => stopping.end('SUPERSEDED'),
    log,
  });

  try {
    const healthPort = await health.open();
    // after the port: a process that cannot run must not end the session of the running one
    ops.connect();
    await admitted.promise;
    isStarted = true;
    return runningAdaptor(adaptor, healthPort, stopping);
  } catch (error) {
    await stopping.stop();
    throw error;
  }
};
