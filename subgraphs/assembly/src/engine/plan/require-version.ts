import type { Principal } from '@fds/auth';
import type { Database, Queryable } from '@fds/database';
import { AppError, type ErrorCause } from '@fds/errors';
import type { EffectiveRequest } from '../../domain/effective-request.js';
import { assemblyRestriction } from '../../domain/assembly-restriction.js';
import { domainVersionsOf, selectRecords } from '../../store/record-store.js';
import type { AssembledVersion, VersionStore } from '../../store/version-store.js';

export interface VersionSources {
  readonly database: Pick<Database, 'reads'>;
  readonly versions: VersionStore;
}

/** The caller, and the session for the caller's searches. */
export interface Asking {
  readonly principal: Principal;
  readonly searches: Queryable;
}

/** Hidden records reveal nothing, not even that they belong to another version. */
const visibleVersions = async (
  { database, versions }: VersionSources,
  drUuids: readonly string[],
  { principal, searches }: Asking,
): Promise<string[]> => {
  const uuids = await domainVersionsOf(database, drUuids);
  if (principal.dataAccess === undefined) return uuids;
  const visible: string[] = [];
  for (const uuid of uuids) {
    const version = await versions.byUuid(uuid);
    if (version === undefined) continue;
    const { totalElements } = await selectRecords(searches, {
      domainVersionUuid: uuid,
      domainType: version.domainType,
      drUuids,
      keyDigests: undefined,
      condition: undefined,
      orderBy: [],
      offset: 0,
      limit: 1,
      restriction: assemblyRestriction(principal, version),
      required: [],
    });
    if (totalElements > 0) visible.push(uuid);
  }
  return visible;
};

/**
 * The domain version that a request assembles.
 *
 * @throws AppError NOT_FOUND, VALIDATION_FAILED when the records belong to several
 */
export const requireVersion = async (
  sources: VersionSources,
  { domain, drUuids, versionNumber }: EffectiveRequest,
  asking: Asking,
): Promise<AssembledVersion> => {
  const { versions } = sources;
  if (drUuids === undefined) {
    const version = await versions.byName(domain ?? '', versionNumber);
    if (version === undefined)
      throw new AppError('NOT_FOUND', `there is no version ${versionNumber} of domain "${domain}"`);
    return version;
  }
  const [first, ...others] = await visibleVersions(sources, drUuids, asking);
  if (others.length > 0) {
    const errors: ErrorCause[] = [
      { pointer: '/drUuids', code: 'MIXED_VERSIONS', detail: 'the records belong to several domain versions' },
    ];
    throw new AppError('VALIDATION_FAILED', 'one request assembles records of one domain version', { errors });
  }
  const version = first === undefined ? undefined : await versions.byUuid(first);
  if (version === undefined) throw new AppError('NOT_FOUND', 'none of the records is known');
  return version;
};
