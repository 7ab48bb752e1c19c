import { openMqttConnection, type MqttConnection } from '@fds/adaptor-bus';
import {
  adaptorSource,
  type AssemblyAnswer,
  buildMessage,
  type Channel,
  clientIdOf,
  createLogRate,
  describeFaults,
  type DiscoveredReport,
  type LogEntry,
  maxLogLength,
  type Message,
  type OpsAnswer,
  type Parsed,
  parseMessage,
  parseTopic,
  type StatusReport,
  subscriptionsOf,
  topicOf,
  type WaitingReport,
} from '@fds/adaptor-protocol';
import type { AdaptorLog } from '../adaptor.js';
import type { Journal } from '../journal/open-journal.js';
import type { AdaptorProperties } from '../properties/adaptor-properties.js';
import { isOperation, type Notice, type Operation } from './take-notice.js';

/** The `ops` client: state, operations, assembly, reports. */
export interface OpsChannel {
  readonly connected: boolean;
  /** Opens the `ops` client, which then stays open until `close`. */
  connect(): void;
  reportState(report: StatusReport): Promise<void>;
  /** Reports the reasons of faulty sources; an empty text when all sources work. Rejects when it is not connected. */
  reportSources(state: StatusReport['state'], message: string): Promise<void>;
  answerOperation(answer: OpsAnswer): void;
  reportWaiting(report: WaitingReport): void;
  /** A report that does not arrive is sent again when the next START does not name it. */
  reportDiscovered(report: DiscoveredReport): void;
  acknowledgeRefusals(issueUuids: readonly string[]): void;
  answerAssembly(request: Message<'down/req'>, answer: AssemblyAnswer, traceparent?: string): void;
  /** Sends the entry if connected. Truncates long entries; drops and counts entries above the rate. */
  sendLog(entry: LogEntry): void;
  /** Sends the journal's reports one after the other. Deletes each when the broker has it. */
  sendReports(): void;
  close(): Promise<void>;
}

export interface OpsChannelOptions {
  readonly properties: AdaptorProperties;
  readonly journal: Journal;
  readonly sdk: StatusReport['sdk'];
  /** Names this process in its state reports. */
  readonly instance: string;
  readonly onUp: () => void;
  readonly onDown: () => void;
  readonly onOperation: (message: Operation) => void;
  readonly onNotice: (message: Notice) => void;
  readonly onAssembly: (message: Message<'down/req'>) => void;
  readonly onRefused: (reason: string) => void;
  readonly onUnreachable: (reason: string) => void;
  readonly log: AdaptorLog;
  /** Called when a report of the journal was sent. */
  readonly onReportSent: () => void;
  readonly newUuid: () => string;
}

export const createOpsChannel = (options: OpsChannelOptions): OpsChannel => {
  const { properties, journal, log } = options;
  const { adaptorUuid } = properties;
  let sending = false;
  let connection: MqttConnection | undefined;

  const attributes = () => ({
    id: options.newUuid(),
    source: adaptorSource(adaptorUuid),
    time: new Date().toISOString(),
  });
  const status = (data: StatusReport): string =>
    buildMessage('up/status', {
      ...attributes(),
      type: 'fds.status.v1',
      data: { ...data, instance: options.instance },
    });
  const publishTo = (
    topic: string,
    payload: string,
    publishOptions?: Parameters<MqttConnection['publish']>[2],
  ): Promise<void> =>
    connection?.publish(topic, payload, publishOptions) ?? Promise.reject(new Error('the adaptor is not connected'));
  const publish = (channel: Channel, payload: string, instance?: string): Promise<void> =>
    publishTo(topicOf({ adaptorUuid, channel, ...(instance === undefined ? {} : { instance }) }), payload);
  // an answer that cannot reach its receiver is not worth keeping
  const send = (channel: Channel, payload: string, instance?: string): void => {
    publish(channel, payload, instance).catch((error: Error) =>
      log.debug({ channel, reason: error.message }, 'an answer was not sent'),
    );
  };

  const logRate = createLogRate();
  const sendEntry = (data: LogEntry): void =>
    send('up/log', buildMessage('up/log', { ...attributes(), type: 'fds.log.v1', data }));

  const sendAll = async (): Promise<void> => {
    sending = true;
    try {
      for (let reports = journal.reports(); reports.length > 0; reports = journal.reports())
        for (const { id, channel, body } of reports) {
          await publish(channel, body);
          journal.forgetReport(id);
          options.onReportSent();
        }
    } finally {
      // runs in the same turn in which the last report was sent, so the call that adds a later report also sends it
      sending = false;
    }
  };
  const sendReports = (): void => {
    if (sending || connection?.connected !== true) return;
    sendAll().catch((error: Error) => log.debug({ reason: error.message }, 'reports wait for the connection'));
  };

  const takeOps = (message: Message<'down/ops'>): void =>
    isOperation(message) ? options.onOperation(message) : options.onNotice(message);
  const onMessage = (topic: string, payload: Uint8Array): void => {
    const channel = parseTopic(topic)?.channel;
    if (channel === 'down/ops') whenValid(parseMessage(channel, payload), takeOps);
    if (channel === 'down/req') whenValid(parseMessage(channel, payload), options.onAssembly);
  };
  const whenValid = <T>(parsed: Parsed<T>, handle: (message: T) => void): void => {
    if (parsed.ok) handle(parsed.value);
    else log.error({ faults: describeFaults(parsed.faults) }, 'dropped a message of the server');
  };

  return {
    get connected() {
      return connection?.connected === true;
    },
    connect: () => {
      connection = openMqttConnection({
        url: properties.messageBusUrl,
        clientId: clientIdOf(adaptorUuid, 'ops'),
        username: properties.clientId,
        password: properties.clientSecret,
        subscriptions: subscriptionsOf(adaptorUuid, 'ops'),
        will: () => ({
          topic: topicOf({ adaptorUuid, channel: 'up/status' }),
          payload: status({ state: 'DOWN', stateMessage: 'connection lost', sdk: options.sdk }),
          retain: true,
        }),
        onUp: () => {
          options.onUp();
          sendReports();
        },
        onDown: options.onDown,
        onMessage,
        onRefused: options.onRefused,
        onUnreachable: options.onUnreachable,
        log,
      });
    },
    reportState: (report) =>
      publishTo(topicOf({ adaptorUuid, channel: 'up/status' }), status(report), { retain: true }),
    reportSources: (state, message) =>
      publish(
        'up/ops',
        buildMessage('up/ops', {
          ...attributes(),
          type: 'fds.adaptor.error.v1',
          data: { level: state === 'ERROR' ? 'ERROR' : 'WARN', kind: 'SOURCE', message },
        }),
      ),
    answerOperation: (data) =>
      send(
        'up/ops',
        buildMessage('up/ops', { ...attributes(), type: 'fds.ops.answer.v1', correlationid: data.requestId, data }),
      ),
    reportWaiting: (data) => send('up/ops', buildMessage('up/ops', { ...attributes(), type: 'fds.waiting.v1', data })),
    reportDiscovered: (data) =>
      send('up/ops', buildMessage('up/ops', { ...attributes(), type: 'fds.discovered.v1', data })),
    acknowledgeRefusals: (issueUuids) =>
      send('up/ops', buildMessage('up/ops', { ...attributes(), type: 'fds.refused.ack.v1', data: { issueUuids } })),
    answerAssembly: (request, data, traceparent) =>
      send(
        'up/rsp',
        buildMessage('up/rsp', {
          ...attributes(),
          type: 'fds.assembly.answer.v1',
          correlationid: request.correlationid ?? data.requestUuid,
          ...(traceparent === undefined ? {} : { traceparent }),
          data,
        }),
        request.replyinstance,
      ),
    sendLog: ({ level, message }) => {
      const passed = connection?.connected === true ? logRate.pass(performance.now()) : undefined;
      if (passed === undefined) return;
      if (passed.keptBack > 0) sendEntry({ level: 'WARN', message: `${passed.keptBack} log entries were not sent` });
      sendEntry({ level, message: message.slice(0, maxLogLength) });
    },
    sendReports,
    close: async () => connection?.close(),
  };
};
