import type { Principal } from '@fds/auth';
import { AppError, readTogether } from '@fds/errors';
import { JsonText, parseSort, requirePage } from '@fds/graphql';
import { readVisibility, type Visibility } from '@fds/search';
import { findLink } from '../../../store/links/find-link.js';
import {
  countEvents,
  eventSortFields,
  findVersionOfEvents,
  listEvents,
  loadDestinations,
} from '../../../store/events/list-data-events.js';
import { loadCrossings } from '../../../store/events/load-crossings.js';
import { listPage } from '../store/read-page.js';
import { isSeenAt } from '../../visibility/is-seen-at.js';
import { maskEvent } from '../../visibility/mask-event.js';
import { maskRecords } from '../../visibility/mask-records.js';
import type { RecordsAccess } from './list-data-records.js';

const noLink = (): AppError => new AppError('NOT_FOUND', 'no link of the record at the adaptor is known');
const noRecord = (): AppError => new AppError('NOT_FOUND', 'there is no such data record');

/** The visible part of one record; undefined without a restriction. @throws AppError NOT_FOUND */
const readRecordVisibility = async (
  { view }: RecordsAccess,
  principal: Principal,
  findVersionUuid: () => Promise<string | undefined>,
): Promise<Visibility | undefined> => {
  if (principal.dataAccess === undefined) return undefined;
  const versionUuid = await findVersionUuid();
  const version = versionUuid === undefined ? undefined : await view().findVersionByUuid(versionUuid);
  // the rules cannot be applied to a version that no longer exists
  if (version === undefined) throw noRecord();
  return readVisibility(principal, [version]);
};

/** An existing record is known by its listing; a deleted one is known by its events. */
const mayKnow = async (
  { database }: RecordsAccess,
  visibility: Visibility,
  drUuid: string,
  { recordExists, total }: { readonly recordExists: boolean; readonly total: number },
): Promise<boolean> => {
  if (!recordExists) return total > 0;
  const filter = { drUuids: [drUuid], rows: 'PER_RECORD', visibility } as const;
  return (await listPage(database.reads, filter, { order: [], offset: 0, limit: 1 })).records.length > 0;
};

/** The link of a record at an adaptor. @throws AppError NOT_FOUND where the server holds none, or it is hidden */
export const getRecordLink = async (
  access: RecordsAccess,
  { drUuid, adaptorUuid }: { readonly drUuid: string; readonly adaptorUuid: string },
  principal: Principal,
) => {
  const { reads } = access.database;
  const link = await findLink(reads, drUuid, adaptorUuid);
  if (link === undefined) throw noLink();
  const { domainVersionUuid } = link;
  const visibility = await readRecordVisibility(access, principal, () => Promise.resolve(domainVersionUuid));
  if (visibility !== undefined && !(await isSeenAt(visibility, access.view(), link))) throw noLink();
  const record = { uuid: drUuid, domainVersionUuid, holderUuid: adaptorUuid, drKey: link.drKey, json: null };
  const [seen = record] = await maskRecords([record], visibility, access.view());
  return { ...link, drKey: new JsonText(seen.drKey) };
};

export interface DataEventsArguments {
  readonly drUuid: string;
  readonly sort?: string | null;
  readonly page?: number | null;
  readonly size?: number | null;
}

/**
 * Data events of a record, newest first unless sorted; they outlive the record.
 *
 * @throws AppError NOT_FOUND where there is neither, INVALID_PARAMETER
 */
export const listDataEvents = async (access: RecordsAccess, args: DataEventsArguments, principal: Principal) => {
  const { reads } = access.database;
  const { drUuid } = args;
  const { paging, order } = readTogether({
    paging: () => requirePage(args),
    order: () => parseSort(args.sort, eventSortFields),
  });
  const { page, size } = paging;
  const visibility = await readRecordVisibility(access, principal, () => findVersionOfEvents(reads, drUuid));
  const { total, recordExists } = await countEvents(reads, drUuid, visibility);
  if (total === 0 && !recordExists) throw noRecord();
  if (visibility !== undefined && !(await mayKnow(access, visibility, drUuid, { recordExists, total })))
    throw noRecord();
  const events = await listEvents(reads, drUuid, { order, offset: page * size, limit: size }, visibility);
  const uuids = events.map(({ uuid }) => uuid);
  const [{ domainVersionUuid } = { domainVersionUuid: undefined }] = events;
  const version =
    domainVersionUuid === undefined ? undefined : await access.view().findVersionByUuid(domainVersionUuid);
  const destinations = await loadDestinations(reads, uuids, version?.domainType === 'SERVICE_DATA_STORE');
  const crossings = await loadCrossings(reads, drUuid, uuids);
  const data = [];
  for (const event of events) {
    const { overrides, overriddenBy } = crossings.get(event.uuid) ?? { overrides: [], overriddenBy: [] };
    const relations = { destinations: destinations.get(event.uuid) ?? [], overrides, overriddenBy };
    const shown = await maskEvent(event, relations, visibility, { view: access.view(), recordUuid: drUuid });
    data.push({ ...shown, drUuid, drKey: new JsonText(shown.drKey) });
  }
  return { data, page: { page, size, totalElements: total, totalPages: Math.ceil(total / size) } };
};
