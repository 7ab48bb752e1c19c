import type { Log } from '@fds/service';
import { createWakeable } from '../../base/create-wakeable.js';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { AdaptorView } from '../../domain/catalog.js';
import { webhookAdaptorOf, type Hosted, type HostingState, type RunningPorts } from './hosting-state.js';

/** Runs the webhook adaptors that no other process runs, and follows those that this process runs. */
export interface Lookout {
  /** Looks after every adaptor, and drops those that are gone. */
  all(): void;
  one(adaptorUuid: string): void;
  /** Waits until nothing is looked after. */
  settle(): Promise<void>;
}

export interface LookoutOptions {
  readonly state: HostingState;
  readonly view: CatalogView;
  readonly follow: (adaptor: AdaptorView, host: Hosted) => Promise<void>;
  readonly log: Log;
}

/** Does nothing before the adaptors run, and after they were closed. */
export const lookAfterAdaptors = ({ state, view, follow, log }: LookoutOptions): Lookout => {
  const { hosted } = state;
  /** Adaptors that are to be looked after; undefined: all. */
  let wanted: Set<string> | undefined = new Set();

  const dropGone = ({ ingest }: RunningPorts): void => {
    const gone = [...hosted.keys()].filter((uuid) => webhookAdaptorOf(view, uuid) === undefined);
    if (gone.length > 0) ingest.drop(gone);
  };

  /** Runs the adaptor when no other process does. */
  const lookAfter = async (adaptor: AdaptorView, { ingest, leases }: RunningPorts): Promise<void> => {
    const { uuid } = adaptor;
    if (!leases.holds(uuid) && !(await leases.acquire(uuid))) return;
    // it was on the bus before, or this process has not met it yet
    if (!hosted.has(uuid)) {
      ingest.drop([uuid]);
      await ingest.takeOver([uuid]);
    }
    const host = hosted.get(uuid);
    if (host !== undefined) await follow(adaptor, host);
  };

  const lookAfterWanted = async (): Promise<void> => {
    const running = state.ports;
    if (running === undefined || state.closed) return;
    const among = wanted;
    wanted = new Set();
    if (among === undefined) dropGone(running);
    for (const adaptor of view.catalog.webhookAdaptors()) {
      if (state.closed) return;
      if (among !== undefined && !among.has(adaptor.uuid)) continue;
      await lookAfter(adaptor, running).catch((error: unknown) =>
        log.warn({ err: error, adaptorUuid: adaptor.uuid }, 'a webhook adaptor could not be looked after, will repeat'),
      );
    }
  };

  const looking = createWakeable(lookAfterWanted, (error) =>
    log.warn({ err: error }, 'the webhook adaptors could not be looked after'),
  );
  return {
    all: () => {
      wanted = undefined;
      looking.wake();
    },
    one: (adaptorUuid) => {
      wanted?.add(adaptorUuid);
      looking.wake();
    },
    settle: () => looking.settle(),
  };
};
