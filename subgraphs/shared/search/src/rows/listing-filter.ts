import type { SearchCondition, SearchProperty } from '../condition/search-condition.js';
import type { Visibility } from './visibility.js';

/** Which rows a listing shows. */
export interface ListingFilter {
  readonly version?: { readonly uuid: string; readonly domainType: 'FEDERATED' | 'SERVICE_DATA_STORE' };
  readonly drUuids?: readonly string[];
  /** Rows whose key has exactly this value, given as text of its type. Needs the version. */
  readonly drKey?: { readonly property: SearchProperty; readonly value: string };
  /** Records that this adaptor links. */
  readonly adaptorUuid?: string;
  /** Compared with the key of each row: for a federated version the link's. Needs the version. */
  readonly condition?: SearchCondition;
  /** A federated record gives a row per link (one without links gives one row), or one row. */
  readonly rows: 'PER_LINK' | 'PER_RECORD';
  /** The part of the rows that data access rules leave to the caller. Default: all of them. */
  readonly visibility?: Visibility;
}

/** Is every row of the version meant, as far as keys go? */
export const takesEveryKey = ({ condition, drKey }: ListingFilter): boolean =>
  (condition === undefined || condition.kind === 'all') && drKey === undefined;

/** The version whose records are all meant, one row each; undefined for any other listing. */
export const versionOfAllRecords = (filter: ListingFilter): string | undefined => {
  const { version, drUuids, adaptorUuid, rows, visibility } = filter;
  const isPart = drUuids !== undefined || adaptorUuid !== undefined || visibility !== undefined;
  if (version === undefined || isPart || !takesEveryKey(filter)) return undefined;
  return version.domainType === 'SERVICE_DATA_STORE' || rows === 'PER_RECORD' ? version.uuid : undefined;
};
