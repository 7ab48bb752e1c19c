import { adaptorSource, checkMessage } from '@fds/adaptor-protocol';
import type { Database } from '@fds/database';
import { isJsonObject, parseJson } from '@fds/json';
import type { Closable, Log } from '@fds/service';
import { createWakeable } from '../background/create-wakeable.js';
import { findReferencedVersions } from '../catalog-view/find-referenced-versions.js';
import type { CatalogView } from '../catalog-view/open-catalog-view.js';
import type { IssueCause } from '../domain/events/event-outcome.js';
import type { IncomingEvent } from '../domain/events/incoming-event.js';
import { readDataEvent } from '../domain/events/read-event.js';
import { loadHeldEvents, type HeldEvent } from '../store/issues/held-events.js';
import type { BatchLoop } from './create-batch-loop.js';
import type { QueuedEvent } from './commit-batch.js';

/** Tries events again that wait with an issue, when their cause may be gone. */
export interface HeldReleaser extends Closable {
  /** The cause has changed: tries in the background what waits for it, each event once, those behind it after it. */
  release(cause: IssueCause): void;
}

export interface HeldReleaserOptions {
  readonly database: Database;
  readonly view: CatalogView;
  readonly loop: Pick<BatchLoop, 'add'>;
  readonly log: Log;
}

const pageSize = 256;

/** Several processes may release at once: an issue is settled once. Closing finishes the page at hand. */
export const createHeldReleaser = ({ database, view, loop, log }: HeldReleaserOptions): HeldReleaser => {
  const closing = new AbortController();
  const causes = new Set<IssueCause>();

  const readHeld = async (held: HeldEvent): Promise<QueuedEvent | undefined> => {
    const adaptor = await view.findAdaptor(held.adaptorUuid);
    // of one that was deactivated nothing is taken; its events wait on
    if (adaptor?.active !== true) return undefined;
    await view.findVersionByUuid(held.domainVersionUuid);
    const data = parseJson(held.dataEvent);
    if (!isJsonObject(data)) return undefined;
    const stamp = { id: held.issueUuid, source: adaptorSource(adaptor.uuid), type: 'fds.data.v1', time: '' } as const;
    const checked = checkMessage('up/data', { ...stamp, data });
    if (!checked.ok) return undefined;
    const reread = async (): Promise<IncomingEvent> => {
      const event = readDataEvent(view.catalog, adaptor, checked.value.data);
      if (event.kind === 'RECORD_CHANGED') await findReferencedVersions(view, event.version.model);
      return event;
    };
    return { adaptor, event: await reread(), reread, position: undefined, held };
  };

  const releaseAll = async (cause: IssueCause): Promise<void> => {
    let after: string | undefined;
    while (!closing.signal.aborted) {
      const page = await loadHeldEvents(database.pool, cause, { after, limit: pageSize });
      after = page.at(-1)?.issueUuid;
      const committed: Promise<void>[] = [];
      for (const held of page) {
        const queued = await readHeld(held);
        if (queued !== undefined) committed.push(loop.add(queued));
      }
      await Promise.all(committed);
      if (page.length < pageSize) return;
    }
  };

  const releasing = createWakeable(
    async () => {
      for (const cause of causes) {
        causes.delete(cause);
        await releaseAll(cause);
      }
    },
    (error) => log.warn({ err: error }, 'events that wait could not be tried again'),
  );

  return {
    release: (cause) => {
      if (closing.signal.aborted) return;
      causes.add(cause);
      releasing.wake();
    },
    close: async () => {
      closing.abort();
      await releasing.settle();
    },
  };
};
