import { createLifetime, type Closable } from '@fds/service';
import { openCatalogView, type CatalogViewOptions } from '../../catalog-view/open-catalog-view.js';
import { createRecordTypeFeed, type RecordTypeFeed } from './record-type-feed.js';

/** The record types for a process without the records subgraph, read from the database and kept fresh by the change log. */
export const openRecordTypeFeed = async (options: CatalogViewOptions): Promise<RecordTypeFeed & Closable> => {
  const lifetime = createLifetime();
  const view = lifetime.own(await openCatalogView(options));
  const feed = createRecordTypeFeed();
  feed.update(view.catalog.versions());
  view.onChanged(() => feed.update(view.catalog.versions()));
  return { ...feed, close: () => lifetime.close() };
};
