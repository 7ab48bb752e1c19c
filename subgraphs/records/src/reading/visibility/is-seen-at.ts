import type { Visibility } from '@fds/search';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';

/** May the caller know that the adaptor has the record? A data-store record only for a caller who may see the record itself. */
export const isSeenAt = async (
  { versions }: Visibility,
  view: Pick<CatalogView, 'findAdaptor'>,
  {
    drUuid,
    domainVersionUuid,
    adaptorUuid,
  }: { readonly drUuid: string; readonly domainVersionUuid: string; readonly adaptorUuid: string },
): Promise<boolean> => {
  const version = versions.find(({ uuid }) => uuid === domainVersionUuid);
  if (version === undefined) return true;
  const { access, domainType } = version;
  const adaptor = await view.findAdaptor(adaptorUuid);
  if (adaptor === undefined) return false;
  const isOwnSeen = domainType === 'FEDERATED' || access.own.of(drUuid).extent !== 'NONE';
  return isOwnSeen && access.at({ adaptorUuid, zoneUuid: adaptor.zoneUuid }).of(drUuid).extent !== 'NONE';
};
