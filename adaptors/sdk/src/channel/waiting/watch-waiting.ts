import type { AdaptorLog } from '../../adaptor.js';
import type { StateReports } from '../../health/state-reports.js';
import type { DataChannelOptions } from '../data-channel.js';

export interface WatchWaitingOptions {
  readonly reports: () => Pick<StateReports, 'setSource'>;
  readonly log: () => AdaptorLog;
  readonly maxWaiting: number;
}

const sourceOf = (resource: string): string => `waiting for ${resource}`;
const journal = 'journal of waiting events';

/**
 * Logs the resources that events wait for. From the second failed attempt on, the resource is a fault of the source: a
 * short lock is not.
 */
export const watchWaiting = ({
  reports,
  log,
  maxWaiting,
}: WatchWaitingOptions): Pick<DataChannelOptions, 'onFault' | 'onOver' | 'onFull'> => {
  const logged = new Set<string>();
  return {
    onFault: (resource, reason, failures) => {
      if (!logged.has(resource)) log().warn({ resource, reason }, 'events wait for a resource');
      logged.add(resource);
      if (failures > 0) reports().setSource(sourceOf(resource), { source: sourceOf(resource), reason });
    },
    onOver: (resource) => {
      if (logged.delete(resource)) log().info({ resource }, 'events no longer wait for a resource');
      reports().setSource(sourceOf(resource), undefined);
    },
    onFull: (isFull) => {
      const reason = `the journal has no room for further waiting events (journal.max.waiting is ${maxWaiting}): the adaptor takes no events`;
      reports().setSource(journal, isFull ? { source: journal, reason } : undefined);
    },
  };
};
