import type { Principal } from '@fds/auth';
import { AppError, type ErrorCause } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import { readVisibility } from '@fds/search';
import type { AdaptorView, DomainVersionView } from '../../../domain/catalog.js';
import { letterOf, readExplanation } from '../../../domain/events/explanation.js';
import {
  countEventsOf,
  findEventAt,
  searchEvents,
  type EventCount,
  type EventRange,
  type EventSieve,
  type SeenEvents,
} from '../../../store/events/search-events.js';
import { isSeenAt } from '../../visibility/is-seen-at.js';
import type { RecordsAccess } from './list-data-records.js';
import { showEvents, toDataEvent, type EventSearch, type SeenEvent } from './show-found-events.js';
import { sessionOfCaller } from './session-of-caller.js';

/** The arguments of a search for events. Null and undefined mean the default. */
export interface EventSearchArguments {
  readonly adaptorUuid?: string | null;
  readonly destinationUuid?: string | null;
  readonly domainVersionUuid?: string | null;
  readonly status?: string | null;
  readonly reason?: string | null;
  readonly from?: Date | null;
  readonly to?: Date | null;
  readonly after?: string | null;
  readonly size?: number | null;
}

/** Events at which one statement looks. */
const strideSize = 20_000;
/** Events that are read, masked and tested at once. */
const pieceSize = 200;
/** A search ends after this time, with the place where it continues. */
const patienceMs = 1_000;
const maxSize = 1000;
/** Events that are counted for a caller whose rules hide some. */
const maxCounted = 20_000;
const hourMs = 3_600_000;

const waitingReasons: ReadonlySet<string> = new Set(['PAUSED', 'AWAY', 'QUEUED_BEHIND']);

/** Why a message waits. */
const waitingReasonOf = (adaptor: AdaptorView | undefined): string => {
  if (adaptor === undefined || adaptor.state === 'DOWN') return 'AWAY';
  return adaptor.state === 'PAUSED' || adaptor.state === 'PAUSING' || adaptor.state === 'DOWN_PAUSED'
    ? 'PAUSED'
    : 'QUEUED_BEHIND';
};

const rangeOf = (args: EventSearchArguments): EventRange => ({
  sourceAdaptorUuid: args.adaptorUuid ?? undefined,
  domainVersionUuid: args.domainVersionUuid ?? undefined,
  from: args.from ?? undefined,
  to: args.to ?? undefined,
});

const sieveOf = ({ destinationUuid, status, reason }: EventSearchArguments): EventSieve => {
  const letter = letterOf(reason ?? '');
  const isKept = letter !== undefined && reason !== 'SOURCE';
  const isSent = reason === 'REFUSED_BY_ADAPTOR' || waitingReasons.has(reason ?? '');
  return {
    // an explanation names destinations that were sent nothing
    destinationUuid: reason === null || reason === undefined || isSent ? (destinationUuid ?? undefined) : undefined,
    status: status ?? (reason === 'REFUSED_BY_ADAPTOR' ? 'FAILED' : undefined),
    explained: isKept ? `"k":"${letter}` : undefined,
  };
};

/** The events that the caller may see. Undefined: all. */
const seenBy = (versions: readonly DomainVersionView[], principal: Principal): SeenEvents | undefined =>
  principal.dataAccess === undefined
    ? undefined
    : { visibility: readVisibility(principal, versions), versionUuids: versions.map(({ uuid }) => uuid) };

interface ArguedSearch extends EventSearch {
  readonly args: EventSearchArguments;
}

/** Does one of the destinations that the caller may see have the status and the reason? */
const matches = async ({ access, args, visibility }: ArguedSearch, event: SeenEvent): Promise<boolean> => {
  const { destinationUuid, status, reason } = args;
  const isMeant = (uuid: string | null): boolean =>
    uuid !== null && (destinationUuid === null || destinationUuid === undefined || uuid === destinationUuid);
  const meant = event.destinations.filter(({ adaptorUuid }) => isMeant(adaptorUuid));
  const placed = meant.filter((each) => status === null || status === undefined || each.status === status);
  const isPlaced = placed.length > 0;
  if (reason === null || reason === undefined) {
    const asksPlace = (destinationUuid ?? undefined) !== undefined || (status ?? undefined) !== undefined;
    return !asksPlace || isPlaced;
  }
  if (status !== null && status !== undefined && !isPlaced) return false;
  if (reason === 'SOURCE') return isMeant(event.sourceAdaptorUuid);
  if (reason === 'REFUSED_BY_ADAPTOR') return meant.some((each) => each.status === 'FAILED');
  if (waitingReasons.has(reason)) {
    return meant.some(
      ({ adaptorUuid, status: state }) =>
        (state === 'QUEUED' || state === 'DELIVERED') &&
        waitingReasonOf(access.view().catalog.adaptor(adaptorUuid ?? '')) === reason,
    );
  }
  const { notes } = readExplanation(event.explanation ?? '{}');
  for (const note of notes) {
    if (note.reason !== reason || !isMeant(note.adaptorUuid)) continue;
    const { recordUuid: drUuid, domainVersionUuid } = event;
    const place = { drUuid, domainVersionUuid, adaptorUuid: note.adaptorUuid };
    if (visibility === undefined || (await isSeenAt(visibility, access.view(), place))) return true;
  }
  return false;
};

/** The arguments of the history of a record and those of a search. @throws AppError INVALID_PARAMETER when they are mixed */
export const requireOneKind = (
  drUuid: string | null | undefined,
  args: EventSearchArguments & { readonly sort?: string | null; readonly page?: number | null },
): void => {
  const isRecord = drUuid !== null && drUuid !== undefined;
  const { adaptorUuid, destinationUuid, domainVersionUuid, status, reason, from, to, after } = args;
  const wrong = Object.entries(
    isRecord
      ? { adaptorUuid, destinationUuid, domainVersionUuid, status, reason, from, to, after }
      : { sort: args.sort, page: args.page === 0 ? undefined : args.page },
  ).filter(([, value]) => value !== null && value !== undefined);
  if (wrong.length === 0) return;
  const detail = isRecord ? 'it is not possible with drUuid' : 'it is only possible with drUuid';
  const errors = wrong.map(([pointer]): ErrorCause => ({ pointer, code: 'INVALID_VALUE', detail }));
  throw new AppError('INVALID_PARAMETER', 'the arguments of dataEvents do not fit together', { errors });
};

const requireSize = (size: number): void => {
  if (size >= 1 && size <= maxSize) return;
  const errors: ErrorCause[] = [{ pointer: 'size', code: 'OUT_OF_RANGE', detail: `size must be from 1 to ${maxSize}` }];
  throw new AppError('INVALID_PARAMETER', 'the search for data events is not valid', { errors });
};

/** Every event that matches, newest first, with the place after which the search continues. */
const findMatching = async function* (
  search: ArguedSearch,
  context: Pick<RequestContext, 'principal' | 'signal'>,
  seen: SeenEvents | undefined,
): AsyncGenerator<{ readonly event: SeenEvent | undefined; readonly cursor: string }> {
  const { access, args } = search;
  const session = sessionOfCaller(access.database, context);
  const range = rangeOf(args);
  const sieve = sieveOf(args);
  let after = args.after ?? undefined;
  for (;;) {
    const until = await findEventAt(session, range, after, strideSize - 1);
    for (;;) {
      const found = await searchEvents(session, range, sieve, { after, until, limit: pieceSize }, seen);
      const shown = new Map((await showEvents(search, found)).map((event) => [event.uuid, event]));
      for (const { uuid } of found) {
        const event = shown.get(uuid);
        const isFound = event !== undefined && (await matches(search, event));
        yield { event: isFound ? event : undefined, cursor: uuid };
      }
      after = found.at(-1)?.uuid ?? after;
      if (found.length < pieceSize) break;
    }
    if (until === undefined) return;
    after = until;
    yield { event: undefined, cursor: until };
  }
};

const searchOf = (access: RecordsAccess, args: EventSearchArguments, principal: Principal) => {
  const seen = seenBy([...access.view().catalog.versions()], principal);
  return { search: { access, args, visibility: seen?.visibility }, seen };
};

/**
 * Data events of all records, newest first, as far as the caller may see them. The search ends after a second with the place
 * where it continues.
 *
 * @throws AppError INVALID_PARAMETER
 */
export const searchDataEvents = async (
  access: RecordsAccess,
  args: EventSearchArguments,
  context: Pick<RequestContext, 'principal' | 'signal'>,
) => {
  const size = args.size ?? 50;
  requireSize(size);
  const { search, seen } = searchOf(access, args, context.principal);
  const endsAt = performance.now() + patienceMs;
  const data: ReturnType<typeof toDataEvent>[] = [];
  let cursor = args.after ?? null;
  for await (const { event, cursor: reached } of findMatching(search, context, seen)) {
    // one more than the page shows that others follow
    if (data.length === size && event !== undefined) return { data, cursor, more: true };
    if (performance.now() > endsAt) return { data, cursor, more: true };
    if (event !== undefined) data.push(toDataEvent(search, event));
    cursor = reached;
  }
  return { data, cursor, more: false };
};

/** Counts the visible events one by one. @throws AppError QUERY_TOO_COMPLEX for too many */
const countSeen = async (
  access: RecordsAccess,
  args: EventSearchArguments,
  context: Pick<RequestContext, 'principal' | 'signal'>,
): Promise<EventCount[]> => {
  const { search, seen } = searchOf(access, args, context.principal);
  const counts = new Map<string, { -readonly [Member in keyof EventCount]: EventCount[Member] }>();
  let looked = 0;
  for await (const { event } of findMatching(search, context, seen)) {
    looked += 1;
    if (looked > maxCounted) {
      throw new AppError('QUERY_TOO_COMPLEX', `more than ${maxCounted} events are in the range: choose a shorter one`);
    }
    if (event === undefined) continue;
    const placed = event.destinations.filter(({ adaptorUuid }) => adaptorUuid !== null);
    for (const { adaptorUuid, status } of placed.length === 0 ? [{ adaptorUuid: null, status: null }] : placed) {
      const { sourceAdaptorUuid, domainVersionUuid } = event;
      const key = [sourceAdaptorUuid, adaptorUuid, domainVersionUuid, status].join();
      const known = counts.get(key);
      if (known !== undefined) known.count += 1n;
      else {
        const destinationAdaptorUuid = adaptorUuid;
        counts.set(key, { sourceAdaptorUuid, destinationAdaptorUuid, domainVersionUuid, status, count: 1n });
      }
    }
  }
  return [...counts.values()].toSorted((one, other) => Number(other.count - one.count));
};

/** Numbers of data events by source, destination, version and status. @throws AppError QUERY_TOO_COMPLEX, QUERY_TIMEOUT */
export const countDataEvents = async (
  access: RecordsAccess,
  args: Pick<EventSearchArguments, 'adaptorUuid' | 'domainVersionUuid' | 'from' | 'to'>,
  context: Pick<RequestContext, 'principal' | 'signal'>,
): Promise<{ readonly counts: readonly EventCount[] }> => {
  const from = args.from ?? new Date((args.to ?? new Date()).getTime() - hourMs);
  const counts =
    context.principal.dataAccess === undefined
      ? await countEventsOf(sessionOfCaller(access.database, context), rangeOf({ ...args, from }))
      : await countSeen(access, { ...args, from }, context);
  return { counts };
};
