import type { SqlSession } from '@fds/database';
import type { Catalog, DomainVersionView } from '../../domain/catalog.js';
import type { Channel } from '../../domain/meet-adaptor.js';
import type { TakenChanges } from '../../domain/taken-changes.js';
import { requireFreshCatalog } from '../../catalog-view/store/require-fresh-catalog.js';
import { requireFreshVersions } from '../../catalog-view/store/require-fresh-versions.js';
import { ensureChannels, lockChannels } from '../channels/channel.js';
import type { Answers, RecordSession, Steps } from './record-session.js';

/** The rows that a decision on records locks before it reads them. */
export interface Locking {
  readonly catalog: Catalog;
  /** Adaptors whose channels are locked besides those of the destinations. */
  readonly adaptorUuids: readonly string[];
  /** Versions whose records may be sent: the channels of their destinations are locked. */
  readonly routed: readonly DomainVersionView[];
  /** Versions by which something was checked. None may have changed since. */
  readonly checked: readonly DomainVersionView[];
  /** The changes that the catalog shows; undefined: the catalog is trusted. */
  readonly taken: TakenChanges | undefined;
  readonly newUuid: () => string;
}

/** The state that stays as it is until the transaction ends. */
export interface Locked {
  /** The catalog; the destinations of a version are those that have a locked channel. */
  readonly catalog: Catalog;
  /** By adaptor. An adaptor that was deleted in the meantime has none. */
  readonly channels: ReadonlyMap<string, Channel>;
}

type Destinations = ReadonlyMap<string, ReturnType<Catalog['destinations']>>;

const destinationsOf = ({ catalog, routed }: Locking): Destinations =>
  new Map(routed.map((version) => [version.uuid, catalog.destinations(version)]));

/** The catalog whose destinations stay those that are locked, though the view changes while the transaction waits. */
const freezeDestinations = (
  catalog: Catalog,
  destinations: Destinations,
  channels: ReadonlyMap<string, Channel>,
): Catalog => {
  const locked = new Map(
    [...destinations].map(([uuid, adaptors]) => [uuid, adaptors.filter((adaptor) => channels.has(adaptor.uuid))]),
  );
  return {
    version: (domainName, versionNumber) => catalog.version(domainName, versionNumber),
    versionByUuid: (uuid) => catalog.versionByUuid(uuid),
    adaptor: (uuid) => catalog.adaptor(uuid),
    destinations: ({ uuid }) => locked.get(uuid) ?? [],
    bystanders: (version) => catalog.bystanders(version),
  };
};

/**
 * Locks channels and versions, and then reads. Channels that are missing are opened, and everything is read again. The order
 * of the locks is that of every decision on records: channels, versions, the rest.
 *
 * @param load the reads that need no answer of each other; they see the locked state
 * @throws StaleCatalog, StaleVersions
 */
export const lockAndLoad = async <S extends Steps>(
  session: RecordSession,
  locking: Locking,
  load: (sql: SqlSession) => S,
): Promise<{ readonly locked: Locked; readonly loaded: Answers<S> }> => {
  const { sql } = session;
  const { catalog, checked, taken, newUuid } = locking;
  const destinations = destinationsOf(locking);
  const involved = [
    ...new Set([...locking.adaptorUuids, ...[...destinations.values()].flat().map(({ uuid }) => uuid)]),
  ];
  const read = async () => {
    let channels: ReadonlyMap<string, Channel> = new Map();
    const loaded = await session.run<S>({
      lockChannels: async () => {
        if (involved.length > 0) channels = await lockChannels(sql, involved);
      },
      requireFreshCatalog: async () => (taken === undefined ? undefined : requireFreshCatalog(sql, taken)),
      requireFreshVersions: () => requireFreshVersions(sql, checked),
      ...load(sql),
    });
    return { channels, loaded };
  };
  let { channels, loaded } = await read();
  if (channels.size < involved.length) {
    const missing = involved.filter((uuid) => !channels.has(uuid));
    await ensureChannels(sql, missing, newUuid);
    ({ channels, loaded } = await read());
  }
  return { locked: { catalog: freezeDestinations(catalog, destinations, channels), channels }, loaded };
};
