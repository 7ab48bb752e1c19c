import { restrictionOf } from '@fds/access-rules';
import type { Database } from '@fds/database';
import { AppError, readTogether } from '@fds/errors';
import type { Principal } from '@fds/auth';
import { endCheck, JsonText, requirePage, type RequestContext } from '@fds/graphql';
import { readVisibility, type ListingFilter } from '@fds/search';
import type { CatalogView } from '../../../catalog-view/open-catalog-view.js';
import type { DomainVersionView } from '../../../domain/catalog.js';
import { findVersionsOfRecords } from '../../../catalog-view/store/find-versions-of-records.js';
import { listPage } from '../store/read-page.js';
import { loadListedRecord, type ListedRecord } from '../store/listed-record.js';
import { readCondition, readKeyFilter, readOrder } from './key-properties.js';
import { maskRecords, type SeenRecord } from '../../visibility/mask-records.js';
import { sessionOfCaller } from './session-of-caller.js';
import { createRecordListing, type ListingMeans, type ListingRequest } from './record-listing.js';
import { requiredProperties } from './required-properties.js';
import { unknownVersion } from '../../../catalog-view/unknown-version.js';

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
const toDataRecord = (record: SeenRecord<ListedRecord>) => ({
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
  if (version === undefined) throw unknownVersion(domainName, versionNumber);
  return version;
};

/** The versions of records; asked for only where the caller may not see everything. */
const versionsOf = async (
  { database, view }: RecordsAccess,
  { dataAccess }: Principal,
  drUuids: readonly string[],
): Promise<DomainVersionView[]> => {
  if (dataAccess === undefined) return [];
  const uuids = new Set((await findVersionsOfRecords(database.reads, drUuids)).values());
  const versions = await Promise.all([...uuids].map((uuid) => view().findVersionByUuid(uuid)));
  return versions.filter((version) => version !== undefined);
};

/** The listing of data records (docs/reference/data-records.md#listing). Without `isTotalRequested`, its page has no totals. */
export const listDataRecords = async (
  access: ListingAccess,
  { isTotalRequested, ...args }: DataRecordsArguments & Pick<ListingRequest, 'isTotalRequested'>,
  context: Pick<RequestContext, 'principal' | 'purpose' | 'signal'>,
) => {
  const { principal } = context;
  const { domainName, versionNumber, adaptorUuid, drKey } = args;
  const drUuids = args.drUuids?.flatMap((uuid) => uuid ?? []);
  if ((domainName === null || domainName === undefined) && drUuids === undefined) {
    throw new AppError('INVALID_PARAMETER', 'a domain or the records must be named', {
      errors: [{ pointer: 'domainName', code: 'REQUIRED', detail: 'give the name of the domain, or uuids of records' }],
    });
  }
  const version =
    domainName === null || domainName === undefined
      ? undefined
      : await requireVersion(access.view(), domainName, versionNumber);
  const searched = version && { model: version.model, restriction: restrictionOf(principal, 'GET', version) };
  const { page, order, key, searching } = readTogether({
    page: () => requirePage(args, defaultPageSize),
    order: () => readOrder(searched, args.sort),
    key: () => (drKey === null || drKey === undefined ? {} : { drKey: readKeyFilter(searched, drKey) }),
    searching: () => readCondition(searched, args.query),
  });
  endCheck(context);
  const keys = { ...key, ...searching };
  const listed = version === undefined ? await versionsOf(access, principal, drUuids ?? []) : [version];
  const visibility = readVisibility(principal, listed, requiredProperties({ ...keys, order }));
  const filter: ListingFilter = {
    ...(version === undefined ? {} : { version }),
    ...(drUuids === undefined ? {} : { drUuids }),
    ...(adaptorUuid === null || adaptorUuid === undefined ? {} : { adaptorUuid }),
    ...keys,
    rows: args.excludeAdaptors === true ? 'PER_RECORD' : 'PER_LINK',
    ...(visibility === undefined ? {} : { visibility }),
  };
  const requested = { ...page, order, isTotalRequested };
  const listing = createRecordListing(access, sessionOfCaller(access.database, context), filter, requested);
  return {
    data: async () => (await maskRecords(await listing.records(), visibility, access.view())).map(toDataRecord),
    page: () => listing.pageInfo(),
  };
};

const noRecord = (): AppError => new AppError('NOT_FOUND', 'there is no such data record');

export interface DataRecordArguments {
  readonly drUuid: string;
  readonly adaptorUuid?: string | null;
  /** Names of options that are of data-store records only. */
  readonly options?: readonly string[] | null;
}

/**
 * A federated record has no references and no data that options could be about
 * (docs/reference/data-records.md#listing).
 */
const requireOptionsFit = ({ json }: Pick<ListedRecord, 'json'>, options: readonly string[]): void => {
  if (json !== null || options.length === 0) return;
  const detail = 'is for records of SERVICE_DATA_STORE domains only; the record is of a FEDERATED one';
  throw new AppError('INVALID_PARAMETER', `${options.join(', ')}: the record is of a FEDERATED domain`, {
    errors: options.map((name) => ({ pointer: name, code: 'NOT_ALLOWED', detail: `${name} ${detail}` })),
  });
};

const findListed = async (
  { database, view }: RecordsAccess,
  filter: ListingFilter,
  visibility: ListingFilter['visibility'],
): Promise<SeenRecord<ListedRecord>> => {
  const { records } = await listPage(database.reads, filter, { order: [], offset: 0, limit: 1 });
  const [record] = await maskRecords(records, visibility, view());
  if (record === undefined) throw noRecord();
  return record;
};

/** One record; with an adaptor, as that adaptor links it. */
const findDataRecord = async (
  access: RecordsAccess,
  { drUuid, adaptorUuid }: DataRecordArguments,
  principal: Principal,
): Promise<SeenRecord<ListedRecord>> => {
  const visibility = readVisibility(principal, await versionsOf(access, principal, [drUuid]));
  if (visibility === undefined && (adaptorUuid === null || adaptorUuid === undefined)) {
    const record = await loadListedRecord(access.database.reads, drUuid);
    if (record === undefined) throw noRecord();
    return record;
  }
  const filter: ListingFilter = {
    drUuids: [drUuid],
    ...(adaptorUuid === null || adaptorUuid === undefined ? { rows: 'PER_RECORD' } : { adaptorUuid, rows: 'PER_LINK' }),
    ...(visibility === undefined ? {} : { visibility }),
  };
  return findListed(access, filter, visibility);
};

/**
 * One record; with an adaptor, as that adaptor links it.
 *
 * @throws AppError NOT_FOUND, also where it is hidden; INVALID_PARAMETER for options that the record has nothing for
 */
export const getDataRecord = async (access: RecordsAccess, args: DataRecordArguments, principal: Principal) => {
  const record = await findDataRecord(access, args, principal);
  requireOptionsFit(record, args.options ?? []);
  return toDataRecord(record);
};

/** A record that the caller has written. A caller who may write but not read the record gets its uuid only. */
export const getWrittenRecord = async (access: RecordsAccess, drUuid: string, principal: Principal) => {
  const filter: ListingFilter = { drUuids: [drUuid], rows: 'PER_RECORD' };
  const visibility = readVisibility(principal, await versionsOf(access, principal, [drUuid]));
  return toDataRecord(await findListed(access, filter, visibility));
};

/** Those of the records that exist and of which the caller may see something. */
export const findVisibleUuids = async (
  access: RecordsAccess,
  drUuids: readonly string[],
  principal: Principal,
): Promise<ReadonlySet<string>> => {
  const { database, view } = access;
  const visibility = readVisibility(principal, await versionsOf(access, principal, drUuids));
  if (visibility === undefined) return new Set((await findVersionsOfRecords(database.reads, drUuids)).keys());
  const filter: ListingFilter = { drUuids: [...drUuids], rows: 'PER_RECORD', visibility };
  const { records } = await listPage(database.reads, filter, { order: [], offset: 0, limit: drUuids.length });
  return new Set((await maskRecords(records, visibility, view())).map(({ uuid }) => uuid));
};

/** A record that another subgraph refers to; null where it does not exist or the caller may not read it. */
export const findVisibleRecord = async (access: RecordsAccess, drUuid: string, principal: Principal) => {
  if (!principal.permits('GET', '/drs') && !principal.permits('GET', `/drs/${drUuid}`)) return null;
  try {
    return await getDataRecord(access, { drUuid }, principal);
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
};
