import type { SqlSession } from '@fds/database';
import type { DomainVersionView } from '../../domain/catalog.js';
import { lockVersions } from './lock-versions.js';

/** The catalog has changed since data was validated against these versions. */
export class StaleVersions extends Error {
  constructor(readonly versionUuids: readonly string[]) {
    super('the catalog has changed since');
  }
}

/**
 * Keeps versions as they are until the transaction ends.
 *
 * @throws StaleVersions where one has changed since it was read
 */
export const requireFreshVersions = async (
  client: SqlSession,
  versions: readonly Pick<DomainVersionView, 'uuid' | 'revision'>[],
): Promise<void> => {
  if (versions.length === 0) return;
  const revisions = await lockVersions(
    client,
    versions.map(({ uuid }) => uuid),
  );
  const stale = versions.filter(({ uuid, revision }) => revisions.get(uuid) !== revision);
  if (stale.length > 0) throw new StaleVersions(stale.map(({ uuid }) => uuid));
};
