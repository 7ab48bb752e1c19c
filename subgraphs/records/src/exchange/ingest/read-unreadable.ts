import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { AdaptorView } from '../../domain/catalog.js';
import type { FaultyEvent } from '../../domain/events/incoming-event.js';
import { namedVersion, unreadableEvent, type UnreadableMessage } from '../../domain/events/unreadable-event.js';

/** Reads a message that violates the bus contract against the catalog of the database. */
export const readUnreadable = async (
  view: Pick<CatalogView, 'catalog' | 'findVersion'>,
  adaptor: AdaptorView,
  message: UnreadableMessage,
): Promise<FaultyEvent> => {
  const named = namedVersion(message.shown);
  if (named !== undefined) await view.findVersion(named.domainName, named.versionNumber);
  return unreadableEvent(view.catalog, adaptor, message);
};
