import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import { mayDoMore, type AdaptorView, type Catalog } from '../../domain/catalog.js';
import type { EventOutcome } from '../../domain/events/event-outcome.js';
import type { CatalogLack } from '../../domain/events/incoming-event.js';
import type { ReleasedEvents } from '../../store/issues/released-events.js';
import type { QueuedEvent } from './queued-event.js';

type Known = Pick<Catalog, 'adaptor' | 'version'>;

/** An event that became, or stays, an issue because the catalog lacked something. */
export interface RefusedEvent {
  /** As it was when it was decided. */
  readonly adaptor: AdaptorView;
  readonly lacks: CatalogLack;
}

const lackOf = ({ event }: QueuedEvent): CatalogLack | undefined => (event.kind === 'FAULTY' ? event.lacks : undefined);

/** The resource that the catalog lacked for a decided event; undefined: none. */
export const refusedEvent = (queued: QueuedEvent, { issue }: EventOutcome): RefusedEvent | undefined => {
  const lacks = issue?.cause === 'NOT_CAPABLE' ? ({ kind: 'CAPABILITY' } as const) : lackOf(queued);
  return issue === undefined || lacks === undefined ? undefined : { adaptor: queued.adaptor, lacks };
};

const isThere = (catalog: Known, { adaptor, lacks }: RefusedEvent): boolean => {
  if (lacks.kind === 'VERSION') return catalog.version(lacks.domainName, lacks.number) !== undefined;
  const now = catalog.adaptor(adaptor.uuid);
  return now !== undefined && mayDoMore(now, adaptor);
};

/**
 * Reads events again for which the catalog lacks something that may have been added a moment ago: one look at the database
 * for the whole batch, so that a source which keeps sending refused events costs little.
 */
export const rereadRefused = async (
  view: { readonly catalog: Known } & Pick<CatalogView, 'reloadNamed'>,
  batch: readonly QueuedEvent[],
): Promise<readonly QueuedEvent[]> => {
  const refused = batch.filter((queued) => queued.reread !== undefined && lackOf(queued) !== undefined);
  if (refused.length === 0) return batch;
  const lacks = refused.flatMap((queued) => lackOf(queued) ?? []);
  const uncapable = refused.filter((queued) => lackOf(queued)?.kind === 'CAPABILITY');
  await view.reloadNamed({
    adaptorUuids: [...new Set(uncapable.map(({ adaptor }) => adaptor.uuid))],
    domainNames: [...new Set(lacks.flatMap((lack) => (lack.kind === 'VERSION' ? lack.domainName : [])))],
  });
  return Promise.all(
    batch.map(async (queued): Promise<QueuedEvent> => {
      const lack = lackOf(queued);
      if (lack === undefined || queued.reread === undefined) return queued;
      const adaptor = view.catalog.adaptor(queued.adaptor.uuid) ?? queued.adaptor;
      if (!isThere(view.catalog, { adaptor: queued.adaptor, lacks: lack })) return queued;
      return { ...queued, adaptor, event: await queued.reread() };
    }),
  );
};

/**
 * The events that may continue, because the catalog got the missing resource while the batch was under way: its announcement
 * found no issue yet.
 */
export const releasedMeanwhile = (catalog: Known, refused: readonly RefusedEvent[]): readonly ReleasedEvents[] => {
  const granted = refused.filter((each) => isThere(catalog, each));
  const adaptors = granted.filter(({ lacks }) => lacks.kind === 'CAPABILITY').map(({ adaptor }) => adaptor.uuid);
  return [
    ...(adaptors.length === 0 ? [] : [{ kind: 'ADAPTORS', uuids: [...new Set(adaptors)] } as const]),
    ...(granted.some(({ lacks }) => lacks.kind === 'VERSION')
      ? [{ kind: 'CAUSE', cause: 'UNKNOWN_VERSION' } as const]
      : []),
  ];
};
