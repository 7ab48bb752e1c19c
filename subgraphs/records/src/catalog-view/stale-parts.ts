import type { CatalogChange } from './store/load-catalog-changes.js';

/** The resources that a page of changes requires to load again. */
export interface StaleParts {
  readonly domains: Set<string>;
  readonly versions: Set<string>;
  readonly adaptors: Set<string>;
  allAdaptors: boolean;
  allVersions: boolean;
  acls: boolean;
  operational: boolean;
}

export const nothingStale = (): StaleParts => ({
  domains: new Set(),
  versions: new Set(),
  adaptors: new Set(),
  allAdaptors: false,
  allVersions: false,
  acls: false,
  operational: false,
});

/** Changes that `findStale` knows. */
export const relevantTypes = [
  'Domain',
  'DomainVersion',
  'Adaptor',
  'AdaptorState',
  'AdaptorType',
  'InboundAcl',
  'OutboundAcl',
  'OperationalAcl',
];

/** A change of a resource without a uuid, and of one that is gone, can concern every resource of its type. */
export const findStale = (changes: readonly CatalogChange[]): StaleParts => {
  const stale = nothingStale();
  const note = (uuids: Set<string>, uuid: string | undefined): boolean =>
    uuid !== undefined && uuids.add(uuid).size > 0;
  for (const { resourceType, resourceUuid, action } of changes) {
    if (resourceType === 'Domain') stale.allVersions ||= !note(stale.domains, resourceUuid);
    // a version that is gone cannot say whose it was
    if (resourceType === 'DomainVersion') {
      stale.allVersions ||= action === 'DELETE' || !note(stale.versions, resourceUuid);
    }
    if (resourceType === 'Adaptor') stale.allAdaptors ||= !note(stale.adaptors, resourceUuid);
    if (resourceType === 'AdaptorState') stale.allAdaptors ||= !note(stale.adaptors, resourceUuid);
    if (resourceType === 'AdaptorType') stale.allAdaptors = true;
    if (resourceType === 'InboundAcl' || resourceType === 'OutboundAcl') stale.acls = true;
    if (resourceType === 'OperationalAcl') stale.operational = true;
  }
  return stale;
};
