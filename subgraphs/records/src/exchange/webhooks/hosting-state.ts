import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { AdaptorView } from '../../domain/catalog.js';
import type { Ingest } from '../ingest/create-ingest.js';
import type { WebhookOutlet } from '../relay/create-webhook-outlet.js';
import type { Leases } from '../relay/open-leases.js';
import type { WebhookConfiguration } from './webhook-configuration.js';

/** The parts of the subgraph that running adaptors need. */
export interface RunningPorts {
  readonly ingest: Pick<Ingest, 'takeOver' | 'drop' | 'link'>;
  readonly leases: Leases;
}

/** The report that this process made last. */
export interface LastReport {
  /** The state that the catalog view showed then. */
  readonly shown: string;
  readonly state: string;
  /** Milliseconds on the clock of the process. */
  readonly untilMs: number;
}

/** An adaptor that this process runs. */
export interface Hosted {
  readonly outlet: WebhookOutlet;
  /** Undefined until the metadata was read. */
  configuration: WebhookConfiguration | undefined;
  reported: LastReport | undefined;
  /** The last message of an ERROR. */
  message: string | undefined;
}

/** The webhook adaptors of this process. */
export interface HostingState {
  readonly hosted: Map<string, Hosted>;
  /** Undefined until the adaptors run. */
  ports: RunningPorts | undefined;
  closed: boolean;
}

/** States in which messages are delivered. In ERROR the receiver is tried again. */
const delivering: ReadonlySet<string> = new Set(['STARTING', 'STARTED', 'ERROR']);

export const createHostingState = (): HostingState => ({ hosted: new Map(), ports: undefined, closed: false });

/** The adaptor when it is a webhook adaptor. */
export const webhookAdaptorOf = ({ catalog }: CatalogView, adaptorUuid: string): AdaptorView | undefined => {
  const adaptor = catalog.adaptor(adaptorUuid);
  return adaptor?.webhookRevision === undefined ? undefined : adaptor;
};

/** Does this process deliver messages of the adaptor now? */
export const plays = ({ hosted, ports, closed }: HostingState, view: CatalogView, adaptorUuid: string): boolean => {
  const adaptor = webhookAdaptorOf(view, adaptorUuid);
  return (
    !closed &&
    adaptor !== undefined &&
    adaptor.active &&
    delivering.has(adaptor.state) &&
    hosted.get(adaptorUuid)?.configuration?.target !== undefined &&
    ports?.leases.holds(adaptorUuid) === true
  );
};

/**
 * The last report while it counts: it is newer than the catalog view, which has not changed since. After its time, the view
 * counts.
 */
export const reportInEffect = (
  reported: LastReport | undefined,
  shown: string,
  nowMs: number,
): LastReport | undefined => (reported?.shown === shown && nowMs <= reported.untilMs ? reported : undefined);
