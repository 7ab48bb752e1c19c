import type { Principal } from '@fds/auth';
import type { Queryable } from '@fds/database';
import { readVisibility, type Visibility } from '@fds/search';
import { loadLinks, type LinkedRecord, type LinkedVersion, type LinkRequest } from '@fds/references';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import { listPage } from '../listing/store/read-page.js';
import { maskRecords, type SeenRecord } from './mask-records.js';

export interface SeenLinksAccess {
  /** Where the statements run. */
  readonly session: Queryable;
  readonly view: () => CatalogView;
}

type SeenLink = SeenRecord<LinkedRecord>;

/** Federated records get the key of a link that may be seen: their own may be that of an adaptor that is hidden. */
const seeFederated = async (
  { session, view }: SeenLinksAccess,
  records: readonly LinkedRecord[],
  visibility: Visibility,
): Promise<SeenLink[]> => {
  const drUuids = [...new Set(records.map(({ uuid }) => uuid))];
  const filter = { drUuids, rows: 'PER_RECORD', visibility } as const;
  const { records: listed } = await listPage(session, filter, { order: [], offset: 0, limit: drUuids.length });
  return [...(await maskRecords(listed, visibility, view()))];
};

const seeStored = async (
  { view }: SeenLinksAccess,
  records: readonly LinkedRecord[],
  visibility: Visibility,
): Promise<readonly SeenLink[]> =>
  maskRecords(
    records.map((record) => ({ ...record, holderUuid: null })),
    visibility,
    view(),
  );

/**
 * Finds the records that references lead to, like `loadLinks`: those that the caller may see, with the visible part of them.
 * A reference that uses hidden values leads to nothing.
 */
export const loadSeenLinks = async (
  access: SeenLinksAccess,
  principal: Pick<Principal, 'dataAccess'>,
  requests: readonly LinkRequest[],
  limit: number,
): Promise<readonly (readonly SeenLink[])[] | undefined> => {
  const { session } = access;
  if (principal.dataAccess === undefined) return loadLinks(session, requests, limit);
  const visibilityOf = (version: LinkedVersion, required: readonly string[]): Visibility | undefined =>
    readVisibility(principal, [version], required);
  const loaded = await loadLinks(session, requests, limit, visibilityOf);
  if (loaded === undefined) return undefined;
  const seen = new Map<string, SeenLink>();
  const restricted = new Set<string>();
  for (const version of new Set(requests.map(({ links }) => links.version))) {
    const visibility = visibilityOf(version, []);
    if (visibility === undefined) continue;
    restricted.add(version.uuid);
    const records = loaded.flat().filter(({ domainVersionUuid }) => domainVersionUuid === version.uuid);
    if (records.length === 0) continue;
    const see = version.domainType === 'FEDERATED' ? seeFederated : seeStored;
    for (const record of await see(access, records, visibility)) seen.set(record.uuid, record);
  }
  return loaded.map((records) =>
    records.flatMap((record) => (restricted.has(record.domainVersionUuid) ? (seen.get(record.uuid) ?? []) : record)),
  );
};
