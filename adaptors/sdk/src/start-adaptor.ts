import { join } from 'node:path';
import { type Message, type OpsRequest, type Position, stringifyJson } from '@fds/adaptor-protocol';
import type { Adaptor, AdaptorLog, RunningAdaptor, StopReason } from './adaptor.js';
import { createDeferred } from './deferred.js';
import { doAll } from './do-all.js';
import { withDomains } from './domain-handlers.js';
import { serveRequests } from './assembly/serve-requests.js';
import { createServerClock } from './assembly/server-clock.js';
import { applyMessage } from './channel/apply-message.js';
import { createDataChannel } from './channel/data-channel.js';
import { createKeyQueues } from './channel/key-queues.js';
import type { AdaptorConfiguration, AdaptorHandlers } from './handlers.js';
import { type HealthReport, isHealthy, openHealthServer } from './health/open-health-server.js';
import { buildReports, type ReportBody } from './journal/build-reports.js';
import { openJournal, type NewReport } from './journal/open-journal.js';
import { logToServer } from './log-to-server.js';
import { newUuid } from './new-uuid.js';
import { openLogs } from './open-logs.js';
import { createConfigurationRetries } from './operations/configuration-retries.js';
import { announceUntilHeard } from './operations/announce-until-heard.js';
import { openEventTally } from './operations/open-event-tally.js';
import { createRefusalAcks } from './operations/refusal-acks.js';
import { createOpsChannel, type OpsChannel } from './operations/ops-channel.js';
import { laneOf, type Operable, runOperation } from './operations/run-operation.js';
import { createNoticeTaker, type Operation } from './operations/take-notice.js';
import { outgoingBody } from './outgoing-body.js';
import {
  isPortGiven,
  metadataMayName,
  readAdaptorProperties,
  unknownAdaptorProperties,
} from './properties/adaptor-properties.js';
import { resolveVariables } from './properties/resolve-variables.js';
import { propertySourcesOf } from './properties/load-properties.js';
import { reasonOf } from './reason-of.js';
import { ReportedState } from './reported-state.js';

export interface AdaptorOptions {
  /** Handlers, or a function that makes them: for handlers that publish. */
  readonly handlers: AdaptorHandlers | ((adaptor: Adaptor) => AdaptorHandlers);
  /** Dotted names to texts, instead of the environment and the properties file. */
  readonly properties?: Readonly<Record<string, string>>;
  /** Names of the adaptor's own properties, which it reads itself with `readProperties`. */
  readonly ownProperties?: readonly string[];
  /** Default: JSON lines on standard output. */
  readonly log?: AdaptorLog;
  /** Directory of the journal where `data.directory` is not set. Default: `./.fds-adaptor/<adaptorUuid>`. */
  readonly defaultDataDirectory?: (adaptorUuid: string) => string;
  /** How the adaptor names itself in its reports. Default: this SDK. */
  readonly sdk?: { readonly name: string; readonly version: string };
}

/** The message bus does not accept the adaptor's credentials. */
export class BusRefused extends Error {
  override readonly name = 'BusRefused';
}

/** The server answers STARTING by START; after that long it is said again. */
const startingEveryMs = 5_000;

const besideTheProcess = (adaptorUuid: string): string => join('.fds-adaptor', adaptorUuid);

const thisSdk = { name: '@fds/adaptor-sdk', version: '0.1.0' };

/**
 * Starts an adaptor: opens its journal and health endpoint, then connects to the message bus. Resolves when the bus let
 * it in, or when the bus cannot be reached now (it keeps trying). The caller stops it.
 *
 * @throws PropertyFault with all faults of the properties
 * @throws BusRefused when the bus refuses the credentials
 * @throws Error when the journal or the port of the health endpoint is in use
 */
export const startAdaptor = async (options: AdaptorOptions): Promise<RunningAdaptor> => {
  const sources =
    options.properties === undefined ? propertySourcesOf(process) : { environment: {}, file: options.properties };
  const properties = readAdaptorProperties(sources);
  const { defaultDataDirectory = besideTheProcess } = options;
  const { adaptorUuid } = properties;
  const mayName = metadataMayName(properties, sources);
  const sdk = options.sdk ?? thisSdk;
  const { own, root: rootLog } =
    options.log === undefined ? openLogs(properties) : { own: options.log, root: options.log };
  let central: Pick<OpsChannel, 'sendLog'> | undefined;
  const log = logToServer(own, (entry) => central?.sendLog(entry));
  const unknown = unknownAdaptorProperties(sources, options.ownProperties ?? []);
  if (unknown.length > 0) log.warn({ properties: unknown }, 'properties that are not known have no effect');
  const startedAt = performance.now();
  const instance = newUuid();
  const journal = openJournal(properties.dataDirectory ?? defaultDataDirectory(adaptorUuid), newUuid);
  const tally = openEventTally({
    counts: journal.counts,
    nowMs: Date.now,
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  });

  const reported = new ReportedState(log);
  let configuration: AdaptorConfiguration | undefined;
  let playing = false;
  let stopping: Promise<void> | undefined;
  /**
   * The state requested of the adaptor: a corrected configuration later starts the work that a faulty one prevented.
   */
  let shallPlay = false;
  const giveUp = new AbortController();
  /** Aborted by a pause: an event that waits for another attempt comes again after PLAY. */
  let attempts = new AbortController();
  let stopReason: StopReason = 'STOPPED';
  const begunToStop = createDeferred();
  const finished = createDeferred();
  const admitted = createDeferred();

  const reportsOf = (bodies: readonly ReportBody[]): readonly NewReport[] =>
    buildReports(adaptorUuid, bodies, { newUuid, now: () => new Date() });

  const forgetApplied = async (position: Position): Promise<void> => handlers.applied?.forget(position);
  const data = createDataChannel({
    properties,
    journal,
    apply: (message, aside) => applyMessage(message, { handlers, stopping: attempts.signal, aside, log }),
    buildReports: reportsOf,
    onStored: (position) => {
      ops.sendReports();
      forgetApplied(position).catch((error: unknown) =>
        log.warn({ err: error }, 'applied positions were not forgotten'),
      );
    },
    log: rootLog,
    newUuid,
  });

  const adaptor: Adaptor = {
    adaptorUuid,
    properties,
    get state() {
      return reported.current;
    },
    log,
    get applied() {
      return data.applied();
    },
    get published() {
      return journal.counts.totals().sent;
    },
    publish: async (event) => {
      const seen = data.seen(event.appliedBefore);
      const discoveryMode = configuration?.discoveryMode ?? false;
      return data.publish(outgoingBody(adaptorUuid, event, { newUuid, now: new Date(), seen, discoveryMode }));
    },
    reportLinks: async (links) => {
      data.report(links.map((link) => ({ link })));
    },
    reportError: async (error) => {
      data.report([{ error }]);
      ops.sendReports();
    },
    sendLog: (entry) => ops.sendLog(entry),
  };
  const makeHandlers = (): AdaptorHandlers => {
    if (typeof options.handlers !== 'function') return withDomains(options.handlers);
    try {
      return withDomains(options.handlers(adaptor));
    } catch (error) {
      tally.close();
      journal.close();
      throw error;
    }
  };
  const handlers = makeHandlers();

  const reportState = (): Promise<void> => ops.reportState(reported.report(sdk));

  const healthReport = (): HealthReport => ({
    adaptorService: ops.connected && ['STARTED', 'PAUSED'].includes(reported.current) ? 'UP' : 'DOWN',
    upTimeMilliseconds: Math.round(performance.now() - startedAt),
    handlers: handlers.health?.() ?? {},
  });

  const unconfigured: AdaptorConfiguration = {
    metadata: {},
    capabilities: [],
    discoveryMode: false,
    domainVersions: [],
  };
  const play = async (): Promise<void> => {
    if (!playing) {
      await handlers.play?.();
      playing = true;
      attempts = new AbortController();
    }
    data.play();
    reported.enter('STARTED');
  };
  /** Takes no more events, finishes what is being applied, and ends the waiting for another attempt. */
  const haltData = async (): Promise<void> => {
    const halted = data.pause();
    attempts.abort();
    await halted;
  };
  const quiet = async (): Promise<void> => {
    if (playing) await handlers.pause?.();
    playing = false;
  };
  const takeOver = async (next: AdaptorConfiguration): Promise<void> => {
    const before = configuration;
    if (before === undefined || stringifyJson(next) !== stringifyJson(before)) {
      const resolved = { ...next, metadata: resolveVariables(next.metadata, process.env, mayName) };
      // before the handler returns: it may begin to publish by the new configuration
      configuration = next;
      try {
        await handlers.configure?.(resolved);
      } catch (error) {
        configuration = before;
        throw error;
      }
    }
    if (reported.current !== 'ERROR') return;
    if (shallPlay) await play();
    else reported.enter('PAUSED');
  };
  const retries = createConfigurationRetries((attempt) => operations.add('state', attempt));
  const takeOverAgain = async (next: AdaptorConfiguration): Promise<void> => {
    if (stopping !== undefined) return;
    try {
      await takeOver(next);
      retries.cancel();
      await reportState().catch(() => undefined);
    } catch (error) {
      // the same failure again is not reported again
      if (!reported.hasMessage(reasonOf(error))) await operable.fail(reasonOf(error)).catch(() => undefined);
      retries.plan(error, () => takeOverAgain(next));
    }
  };
  const operable: Operable = {
    get state() {
      return reported.current;
    },
    intend: (next) => {
      shallPlay = next === 'PLAY';
    },
    configure: async (next) => {
      retries.cancel();
      try {
        await takeOver(next);
      } catch (error) {
        retries.plan(error, () => takeOverAgain(next));
        throw error;
      }
    },
    play,
    pause: async () => {
      await quiet();
      await haltData();
      reported.enter('PAUSED');
    },
    refreshState: async () => handlers.refreshState?.(),
    reportState,
    fail: async (reason) => {
      reported.enter('ERROR', reason);
      await reportState();
    },
    health: () => {
      const report = healthReport();
      return { status: isHealthy(report) ? 'UP' : 'DOWN', uptime: report.upTimeMilliseconds };
    },
    metrics: tally.metrics,
  };

  const operations = createKeyQueues(properties.opsConcurrency.max);
  // a START that was lost, or a server that was not there, is asked for again
  const starting = announceUntilHeard(
    () =>
      ops
        .reportState({ state: 'STARTING', sdk })
        .catch((error: Error) => log.debug({ reason: error.message }, 'the state was not reported')),
    startingEveryMs,
  );
  const onOperation = ({ time, data: request }: Operation): void => {
    clock.hear(time);
    if (stopping !== undefined) return;
    if (request.operation === 'START') starting.heard();
    operations.add(laneOf(request), async () => {
      const answer = await runOperation(request, operable, configuration ?? unconfigured);
      ops.answerOperation(answer);
      if (isShutdown(request)) end('SHUTDOWN');
    });
  };

  const clock = createServerClock(Date.now);
  const assemblies = serveRequests({
    handlers,
    concurrency: properties.assemblyConcurrency.max,
    clock,
    signal: giveUp.signal,
    answer: (request, part) => ops.answerAssembly(request, part),
    log,
  });
  const onAssembly = (message: Message<'down/req'>): void => {
    clock.hear(message.time);
    assemblies.take(message);
  };
  const ops = createOpsChannel({
    properties,
    journal,
    sdk,
    instance,
    onUp: () => {
      admitted.resolve();
      if (stopping === undefined) starting.begin();
    },
    onDown: () => starting.heard(),
    onOperation,
    onNotice: (notice) => takeNotice(notice),
    onAssembly,
    onRefused: (reason) =>
      admitted.reject(
        new BusRefused(`the message bus refuses adaptor ${adaptorUuid} (${reason}): check client.id and client.secret`),
      ),
    onUnreachable: () => admitted.resolve(),
    log: rootLog,
    newUuid,
  });
  central = ops;
  const refusalAcks = createRefusalAcks((issueUuids) => ops.acknowledgeRefusals(issueUuids));

  const metricsTimer = properties.enableMetrics
    ? setInterval(() => log.info(journal.counts.totals(), 'data events so far'), properties.metricsLogIntervalMs)
    : undefined;
  metricsTimer?.unref();
  /** Counts that the server would otherwise receive only when the adaptor is back. */
  const sendCounts = (): void => {
    const metrics = tally.unreported();
    if (metrics !== undefined)
      ops.answerOperation({ requestId: newUuid(), operation: 'METRICS', accepted: true, metrics });
  };

  const sayGoodbye = async (): Promise<void> => {
    // the server takes no report of a superseded process: another process is this adaptor
    if (!ops.connected || stopReason === 'SUPERSEDED') return;
    sendCounts();
    await ops.reportState({ state: 'DOWN', sdk }).catch(() => undefined);
  };
  const closeBus = (): Promise<void> => {
    clearInterval(metricsTimer);
    starting.heard();
    return doAll([
      haltData,
      () => retries.cancel(),
      () => giveUp.abort(),
      () => operations.halt(),
      () => assemblies.halt(),
      haltData, // an operation that was under way may have begun to play
      () => refusalAcks.flush(),
      sayGoodbye,
      () => ops.close(),
      () => data.flush(),
      () => tally.close(),
      () => journal.close(),
    ]);
  };
  /** Another process is this adaptor: a connection of this one would end that of the other. */
  const yieldBus = async (): Promise<void> => {
    starting.heard();
    await Promise.all([ops.close(), data.disconnect()]);
  };
  const stopAll = async (): Promise<void> => {
    begunToStop.resolve();
    try {
      if (stopReason === 'SUPERSEDED') await yieldBus();
      data.refuseWaiting(); // a source that waits for room in the journal would not come to rest
      await quiet().catch((error: unknown) => log.error({ err: error }, 'the pause failed'));
      await doAll([closeBus, () => health?.close(), () => handlers.stop?.()]);
    } finally {
      reported.enter('DOWN');
      finished.resolve();
    }
  };
  const stop = (): Promise<void> => (stopping ??= stopAll());
  const end = (reason: StopReason): void => {
    if (stopping !== undefined) return;
    stopReason = reason;
    stop().catch((error: unknown) => log.error({ err: error }, 'the stop failed'));
  };
  const takeNotice = createNoticeTaker({
    instance,
    handlers,
    onRefusalTaken: refusalAcks.add,
    onSuperseded: () => end('SUPERSEDED'),
    log,
  });

  let health: Awaited<ReturnType<typeof openHealthServer>> | undefined;
  try {
    health = await openHealthServer({
      hostname: properties.hostname,
      port: properties.port,
      onPortInUse: isPortGiven(sources) ? 'FAIL' : 'TAKE_ANOTHER',
      report: healthReport,
    });
    if (health.port !== properties.port && properties.port !== 0)
      log.warn(
        { port: health.port, inUse: properties.port },
        'the port of the health endpoint is in use, another one was taken; port (PORT) sets it',
      );
    // after the port: a process that cannot run must not end the session of the running one
    ops.connect();
    await admitted.promise;
  } catch (error) {
    await stop();
    throw error;
  }
  const { port: healthPort } = health;

  return Object.defineProperties(Object.create(null) as RunningAdaptor, {
    ...Object.getOwnPropertyDescriptors(adaptor),
    healthPort: { value: healthPort, enumerable: true },
    stopping: { value: begunToStop.promise.then(() => stopReason), enumerable: true },
    stopped: { value: finished.promise.then(() => stopReason), enumerable: true },
    stop: { value: stop, enumerable: true },
  });
};

const isShutdown = ({ operation }: OpsRequest): boolean => operation === 'SHUTDOWN';
