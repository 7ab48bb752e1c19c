import { namesRecords, visibleNothing, type Visible } from '@fds/access-rules';
import type { Visibility } from '@fds/search';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';

/** The subject of an event, as far as it is known. */
export interface IssueSubject {
  readonly recordUuid: string | null;
  readonly domainVersionUuid: string | null;
  /** The owners of the data, every adaptor that had it; none: the server. */
  readonly adaptorUuids: readonly string[];
}

const common = (one: Visible, other: Visible): Visible => {
  if (one.extent === 'ALL') return other;
  if (other.extent === 'ALL') return one;
  const names = new Set([...one.names].filter((name) => other.names.has(name)));
  return names.size === 0 ? visibleNothing() : { extent: 'SOME', names };
};

// as a record that no rule names
const unknownRecord = '00000000-0000-0000-0000-000000000000';

/**
 * The visible part of the data in an event: the part that is visible at every adaptor that had it. Undefined: all of it. An
 * event of an unknown record shows nothing to a caller whose rules name records: it may be about one of them.
 */
export const visibleOfIssue = async (
  visibility: Visibility | undefined,
  view: Pick<CatalogView, 'findAdaptor' | 'findVersionByUuid'>,
  { recordUuid, domainVersionUuid, adaptorUuids }: IssueSubject,
): Promise<Visible | undefined> => {
  if (visibility === undefined) return undefined;
  if (domainVersionUuid === null) return visibleNothing();
  const version = visibility.versions.find(({ uuid }) => uuid === domainVersionUuid);
  if (version === undefined) {
    return (await view.findVersionByUuid(domainVersionUuid)) === undefined ? visibleNothing() : undefined;
  }
  const { access, domainType } = version;
  if (recordUuid === null && namesRecords(access)) return visibleNothing();
  const uuid = recordUuid ?? unknownRecord;
  const isOwn = domainType === 'SERVICE_DATA_STORE' || adaptorUuids.length === 0;
  let visible: Visible | undefined = isOwn ? access.own.of(uuid) : undefined;
  for (const adaptorUuid of adaptorUuids) {
    const adaptor = await view.findAdaptor(adaptorUuid);
    // gone since: the zone of its data is unknown
    if (adaptor === undefined) return visibleNothing();
    const linked = access.at({ adaptorUuid, zoneUuid: adaptor.zoneUuid }).of(uuid);
    visible = visible === undefined ? linked : common(visible, linked);
  }
  return visible?.extent === 'ALL' ? undefined : visible;
};
