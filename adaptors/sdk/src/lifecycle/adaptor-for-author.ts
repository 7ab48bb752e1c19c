import type { Adaptor, AdaptorLog, RunningAdaptor } from '../adaptor.js';
import type { DataChannel } from '../channel/data-channel.js';
import type { Journal } from '../journal/open-journal.js';
import { newUuid } from '../new-uuid.js';
import type { OpsChannel } from '../operations/ops-channel.js';
import { outgoingBody } from '../outgoing-body.js';
import type { AdaptorProperties } from '../properties/adaptor-properties.js';
import type { Stopping } from './create-stopping.js';
import type { RunningState } from './running-state.js';
import type { StateReports } from './state-reports.js';

export interface AdaptorParts {
  readonly properties: AdaptorProperties;
  readonly state: Pick<RunningState, 'configuration' | 'reported'>;
  readonly data: Pick<DataChannel, 'applied' | 'publish' | 'report' | 'seen'>;
  readonly ops: Pick<OpsChannel, 'sendLog' | 'sendReports'>;
  readonly reports: Pick<StateReports, 'setSource'>;
  readonly journal: Pick<Journal, 'counts'>;
  readonly log: AdaptorLog;
}

/** The functions that an adaptor offers its author. */
export const adaptorForAuthor = ({ properties, state, data, ops, reports, journal, log }: AdaptorParts): Adaptor => {
  const { adaptorUuid } = properties;
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
      const seen = data.seen(event.appliedBefore);
      const discoveryMode = state.configuration?.discoveryMode ?? false;
      return data.publish(outgoingBody(adaptorUuid, event, { newUuid, now: new Date(), seen, discoveryMode }));
    },
    reportLinks: async (links) => {
      data.report(links.map((link) => ({ link })));
    },
    reportError: async (error) => {
      data.report([{ error }]);
      ops.sendReports();
    },
    reportSource: (fault) => reports.setSource(fault.source, fault),
    clearSource: (source) => reports.setSource(source, undefined),
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
