import type { AdaptorError, DiscoveredReport } from '@fds/adaptor-protocol';
import type { Adaptor, OutgoingEvent, SourceFault } from '@fds/adaptor-sdk';

/** Records the events that an adaptor publishes, in order, in place of a journal. */
export interface RecordingAdaptor {
  readonly adaptor: Pick<
    Adaptor,
    | 'adaptorUuid'
    | 'publish'
    | 'published'
    | 'log'
    | 'reportError'
    | 'reportSource'
    | 'clearSource'
    | 'caughtUp'
    | 'isDiscovering'
    | 'reportDiscovered'
  >;
  readonly events: OutgoingEvent[];
  readonly reported: AdaptorError[];
  /** The complete scans; the adaptor is in discovery mode. */
  readonly discovered: DiscoveredReport[];
  /** The present faults by their source. */
  readonly faults: Map<string, SourceFault>;
  /** Until when each source was last read. */
  readonly read: Map<string, Date | undefined>;
  /** `action path` of each event, with the path relative to the folder. */
  tell(folder: string): readonly string[];
}

export const createRecordingAdaptor = (adaptorUuid: string): RecordingAdaptor => {
  const events: OutgoingEvent[] = [];
  const reported: AdaptorError[] = [];
  const discovered: DiscoveredReport[] = [];
  const faults = new Map<string, SourceFault>();
  const read = new Map<string, Date | undefined>();
  const silent = (): void => undefined;
  return {
    events,
    reported,
    discovered,
    faults,
    read,
    adaptor: {
      adaptorUuid,
      get published() {
        return events.length;
      },
      publish: (event) => {
        events.push(event);
        return Promise.resolve();
      },
      reportError: (error) => {
        reported.push(error);
        return Promise.resolve();
      },
      isDiscovering: (version) => !discovered.some((one) => one.domain === version.domain),
      reportDiscovered: (report) => {
        discovered.push(report);
        return Promise.resolve();
      },
      reportSource: (fault) => {
        faults.set(fault.source, fault);
      },
      clearSource: (source) => {
        faults.delete(source);
      },
      caughtUp: (source, until) => {
        read.set(source, until);
      },
      log: { error: silent, warn: silent, info: silent, debug: silent },
    },
    tell: (folder) =>
      events.map(({ action, json, drKey }) => {
        const { sourceUri, action: told = action } = json ?? drKey ?? {};
        return `${JSON.stringify(told)} ${JSON.stringify(sourceUri)}`
          .replace(`file://${folder}/`, '')
          .replaceAll('"', '');
      }),
  };
};
