import { isJsonObject, parseJson, type JsonValue, type SeenPosition, type Tracer } from '@fds/adaptor-protocol';
import type { Adaptor, AdaptorLog, OutgoingEvent, RunningAdaptor } from '../adaptor.js';
import type { DataChannel } from '../channel/data-channel.js';
import type { KeptMark } from '../journal/kept-properties.js';
import type { Journal } from '../journal/open-journal.js';
import { newUuid } from '../new-uuid.js';
import type { OpsChannel } from '../operations/ops-channel.js';
import { outgoingBody } from '../outgoing-body.js';
import type { AdaptorProperties } from '../properties/adaptor-properties.js';
import type { Stopping } from './create-stopping.js';
import type { AdaptorFigures } from '../health/adaptor-figures.js';
import type { RunningState } from '../health/running-state.js';
import type { StateReports } from '../health/state-reports.js';

export interface AdaptorParts {
  readonly properties: AdaptorProperties;
  readonly state: Pick<RunningState, 'configuration' | 'reported'>;
  readonly data: Pick<DataChannel, 'applied' | 'publish' | 'report' | 'seen' | 'flush'>;
  readonly ops: Pick<OpsChannel, 'sendLog' | 'sendReports'>;
  readonly reports: Pick<StateReports, 'setSource'>;
  readonly journal: Pick<Journal, 'counts' | 'kept' | 'discoveries'>;
  /** Sends the reports of the discoveries whose records are acknowledged. */
  readonly reportDiscoveries: () => void;
  readonly figures: AdaptorFigures;
  readonly log: AdaptorLog;
  /** Undefined: traces are off. */
  readonly tracer: Pick<Tracer, 'start'> | undefined;
}

const recordOf = ({ drKey, json, jsonData }: OutgoingEvent): JsonValue => {
  try {
    return drKey ?? json ?? parseJson(jsonData ?? 'null');
  } catch {
    return null;
  }
};

/** A report of a record with kept properties has not seen the first message that they were kept from. */
const beforeMark = (seen: SeenPosition, mark: KeptMark | undefined): SeenPosition => {
  if (mark === undefined) return seen;
  const { epoch, sequence } = mark.position;
  return { ...seen, applied: epoch === seen.epoch ? Math.min(seen.applied, sequence - 1) : 0 };
};

const published = { 'messaging.system': 'mqtt', 'messaging.operation.type': 'send' } as const;

/** The functions that an adaptor offers its author. */
export const adaptorForAuthor = (parts: AdaptorParts): Adaptor => {
  const { properties, state, data, ops, reports, journal, reportDiscoveries, figures, log, tracer } = parts;
  const { adaptorUuid } = properties;
  const markOf = (event: OutgoingEvent): KeptMark | undefined => {
    const { domain, version } = event;
    return journal.kept.find(() => {
      const key = state.configuration?.domainVersions.find((one) => one.domain === domain && one.version === version);
      const record = recordOf(event);
      const drKeyValues = isJsonObject(record) ? key?.drKeyProperties.map((name) => record[name] ?? null) : undefined;
      return { domain, version, drUuid: event.drUuid ?? event.knownAs, drKeyValues };
    });
  };
  return {
    adaptorUuid,
    properties,
    get state() {
      return state.reported.current;
    },
    log,
    get applied() {
      return data.applied();
    },
    get published() {
      return journal.counts.totals().sent;
    },
    publish: async (event) => {
      const mark = markOf(event);
      const seen = beforeMark(data.seen(event.appliedBefore), mark);
      const discoveryMode = state.configuration?.discoveryMode ?? false;
      const span = tracer?.start({ name: 'publish up/data', kind: 'PRODUCER', mayBegin: true, attributes: published });
      const traceparent = span?.traceparent;
      try {
        await data.publish(
          outgoingBody(adaptorUuid, event, { newUuid, now: new Date(), seen, discoveryMode, traceparent }),
        );
        figures.countSent('published');
        span?.end();
      } catch (error) {
        figures.countSent('not_published');
        span?.end('NOT_PUBLISHED');
        throw error;
      }
      if (mark !== undefined) journal.kept.reported(mark);
    },
    reportLinks: async (links) => {
      data.report(links.map((link) => ({ link })));
    },
    reportError: async (error) => {
      if (error.level === 'ERROR') figures.noteError();
      data.report([{ error }]);
      ops.sendReports();
    },
    isDiscovering: (version) => state.configuration?.discoveryMode === true && !journal.discoveries.has(version),
    reportDiscovered: async (report) => {
      if (state.configuration?.discoveryMode !== true) return;
      // published events are in the journal
      data.flush();
      journal.discoveries.note(report);
      reportDiscoveries();
    },
    reportSource: (fault) => {
      figures.noteError();
      reports.setSource(fault.source, fault);
    },
    clearSource: (source) => reports.setSource(source, undefined),
    caughtUp: (source, until) => figures.caughtUp(source, until?.getTime()),
    sendLog: (entry) => ops.sendLog(entry),
  };
};

/** Adds the functions and promises by which its author ends it. */
export const runningAdaptor = (adaptor: Adaptor, healthPort: number, stopping: Stopping): RunningAdaptor =>
  Object.defineProperties(Object.create(null) as RunningAdaptor, {
    ...Object.getOwnPropertyDescriptors(adaptor),
    healthPort: { value: healthPort, enumerable: true },
    stopping: { value: stopping.begun, enumerable: true },
    stopped: { value: stopping.ended, enumerable: true },
    stop: { value: stopping.stop, enumerable: true },
  });
