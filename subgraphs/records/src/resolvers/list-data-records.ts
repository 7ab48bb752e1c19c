import type { Database } from '@fds/database';
import { AppError } from '@fds/errors';
import { JsonText, requirePage } from '@fds/graphql';
import type { CatalogView } from '../catalog-view/open-catalog-view.js';
import type { DomainVersionView } from '../domain/catalog.js';
import { listPage, type ListedRecord } from '../store/list-records.js';
import type { ListingFilter } from '../store/listing/listing-filter.js';
import { readCondition, readKeyFilter, readOrder } from './key-properties.js';
import { createRecordListing, type ListingMeans } from './record-listing.js';

export interface DataRecordsArguments {
  readonly domainName?: string | null;
  readonly versionNumber?: number | bigint | null;
  readonly drUuids?: readonly (string | null)[] | null;
  readonly drKey?: string | null;
  readonly adaptorUuid?: string | null;
  readonly excludeAdaptors?: boolean | null;
  readonly query?: string | null;
  readonly sort?: string | null;
  readonly page?: number | null;
  readonly size?: number | null;
}

export interface RecordsAccess {
  readonly database: Database;
  readonly view: () => CatalogView;
}

export interface ListingAccess extends RecordsAccess, ListingMeans {}

/** A record as GraphQL shows it. */
const toDataRecord = (record: ListedRecord) => ({
  ...record,
  drKey: new JsonText(record.drKey),
  json: record.json === null ? null : new JsonText(record.json),
});

const defaultPageSize = 10;

const requireVersion = async (
  view: CatalogView,
  domainName: string,
  versionNumber: number | bigint | null | undefined,
): Promise<DomainVersionView> => {
  const version = await view.findVersion(domainName, Number(versionNumber ?? 0));
  if (version === undefined) throw new AppError('NOT_FOUND', 'there is no such domain version');
  return version;
};

/** The listing of data records (server.md, Data records). */
export const listDataRecords = async (access: ListingAccess, args: DataRecordsArguments) => {
  const { domainName, versionNumber, adaptorUuid, drKey } = args;
  const drUuids = args.drUuids?.flatMap((uuid) => uuid ?? []);
  const { page, size } = requirePage(args, defaultPageSize);
  if ((domainName === null || domainName === undefined) && drUuids === undefined) {
    throw new AppError('INVALID_PARAMETER', 'a domain or the records must be named', {
      errors: [{ pointer: 'name', code: 'REQUIRED', detail: 'give name or dr-uuids' }],
    });
  }
  const version =
    domainName === null || domainName === undefined
      ? undefined
      : await requireVersion(access.view(), domainName, versionNumber);
  const filter: ListingFilter = {
    ...(version === undefined ? {} : { version }),
    ...(drUuids === undefined ? {} : { drUuids }),
    ...(drKey === null || drKey === undefined ? {} : { drKey: readKeyFilter(version, drKey) }),
    ...(adaptorUuid === null || adaptorUuid === undefined ? {} : { adaptorUuid }),
    ...readCondition(version, args.query),
    rows: args.excludeAdaptors === true ? 'PER_RECORD' : 'PER_LINK',
  };
  const listing = createRecordListing(access, filter, readOrder(version, args.sort), { page, size });
  return { data: async () => (await listing.records()).map(toDataRecord), page: () => listing.pageInfo() };
};

/** One record; with an adaptor, as that adaptor links it. @throws AppError NOT_FOUND */
export const getDataRecord = async (
  { database }: Pick<RecordsAccess, 'database'>,
  { drUuid, adaptorUuid }: { readonly drUuid: string; readonly adaptorUuid?: string | null },
) => {
  const filter: ListingFilter =
    adaptorUuid === null || adaptorUuid === undefined
      ? { drUuids: [drUuid], rows: 'PER_RECORD' }
      : { drUuids: [drUuid], adaptorUuid, rows: 'PER_LINK' };
  const { records } = await listPage(database.pool, filter, { order: [], offset: 0, limit: 1 });
  const [record] = records;
  if (record === undefined) throw new AppError('NOT_FOUND', 'there is no such data record');
  return toDataRecord(record);
};
