import type { SqlClient } from '@fds/database';
import type { CatalogView } from '../catalog-view/open-catalog-view.js';
import type { AdaptorView, Catalog } from '../domain/catalog.js';
import type { Channel } from '../domain/meet-adaptor.js';
import { ensureChannels, lockChannels } from '../store/channels/channel.js';
import { requireFreshVersions } from '../store/catalog/require-fresh-versions.js';
import type { PreparedOutcome } from './prepare-writes.js';

/** Locks the channels of all destinations of the versions; opens missing ones. */
const lockDestinations = async (
  client: SqlClient,
  destinations: readonly AdaptorView[],
  newUuid: () => string,
): Promise<ReadonlyMap<string, Channel>> => {
  const uuids = [...new Set(destinations.map(({ uuid }) => uuid))];
  if (uuids.length === 0) return new Map();
  const channels = await lockChannels(client, uuids);
  if (channels.size === uuids.length) return channels;
  const missing = uuids.filter((uuid) => !channels.has(uuid));
  await ensureChannels(client, missing, newUuid);
  return lockChannels(client, uuids);
};

/** The catalog whose destinations stay those that have a locked channel. */
const freezeDestinations = (
  catalog: Catalog,
  destinations: ReadonlyMap<string, readonly AdaptorView[]>,
  channels: ReadonlyMap<string, Channel>,
): Catalog => ({
  version: (domainName, versionNumber) => catalog.version(domainName, versionNumber),
  versionByUuid: (uuid) => catalog.versionByUuid(uuid),
  adaptor: (uuid) => catalog.adaptor(uuid),
  destinations: ({ uuid }) => (destinations.get(uuid) ?? []).filter((adaptor) => channels.has(adaptor.uuid)),
});

/** The catalog as it stays until the transaction ends. */
export interface LockedCatalog {
  readonly catalog: Catalog;
  /** Channels of every adaptor that may be a destination. */
  readonly channels: ReadonlyMap<string, Channel>;
}

/**
 * Locks the destinations of writes and the versions that they were validated against: first channels, as ingest does, then
 * versions.
 *
 * @throws StaleVersions when a version has changed since, also one that a write was refused for
 */
export const lockCatalog = async (
  client: SqlClient,
  { view, newUuid }: { readonly view: CatalogView; readonly newUuid: () => string },
  prepared: readonly PreparedOutcome[],
): Promise<LockedCatalog> => {
  const versions = [...new Map(prepared.flatMap(({ version }) => (version ? [[version.uuid, version]] : []))).values()];
  const destinations = new Map(
    prepared.flatMap((write) =>
      'refusal' in write ? [] : [[write.version.uuid, view.catalog.destinations(write.version)] as const],
    ),
  );
  const channels = await lockDestinations(client, [...destinations.values()].flat(), newUuid);
  await requireFreshVersions(client, versions);
  return { catalog: freezeDestinations(view.catalog, destinations, channels), channels };
};
