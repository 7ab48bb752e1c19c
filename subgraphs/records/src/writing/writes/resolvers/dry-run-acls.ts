import type { UpDataEvent } from '@fds/adaptor-protocol';
import type { Principal } from '@fds/auth';
import type { SqlClient } from '@fds/database';
import { AppError, type ErrorCause } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import { isJsonObject, parseJsonInSteps, type JsonObject } from '@fds/json';
import { inTurns } from '@fds/service';
import type { CatalogView } from '../../../catalog-view/open-catalog-view.js';
import { findReferencedVersions } from '../../../catalog-view/find-referenced-versions.js';
import { capabilityKey, type AdaptorView, type DomainVersionView } from '../../../domain/catalog.js';
import { Outbox } from '../../../domain/routing/outbox.js';
import { decideEvent } from '../../../domain/events/decide-event.js';
import {
  describeDryRun,
  type DryRun,
  type DryRunView,
  type EntryPlace,
  type SupposedChange,
} from '../../../domain/routing/dry-run.js';
import type { IncomingEvent } from '../../../domain/events/incoming-event.js';
import { readDataEvent } from '../../../domain/events/read-event.js';
import { findRecord, matchRecord } from '../../../domain/records/match-record.js';
import { matchingsOf } from '../../../domain/records/near-records.js';
import { requireMatchIndexes } from '../../../store/matching/require-match-indexes.js';
import { withMatchIndexes } from '../../../store/matching/with-match-indexes.js';
import type { LookupSight } from '../../../store/references/open-reference-book.js';
import { mayKnowDestination } from '../../../reading/visibility/may-know-destination.js';
import { lookupSightOf } from '../../../reading/visibility/lookup-sight.js';
import { openSeenBooks } from './open-seen-books.js';
import type { RecordsWriting } from './require-written.js';

export interface DryRunArguments {
  readonly zoneUuid: string;
  readonly input: {
    readonly action: string;
    readonly sourceZoneUuid?: string | null;
    readonly sourceAdaptorUuid?: string | null;
    readonly domainVersionUuid: string;
    readonly drUuid?: string | null;
    readonly jsonData?: string | null;
  };
}

const nilUuid = '00000000-0000-0000-0000-000000000000';
const actions = ['POST', 'PUT', 'DELETE'] as const;

const refuse = (errors: readonly ErrorCause[]): never => {
  const isUnknown = errors.every(({ code }) => code === 'UNKNOWN_REFERENCE');
  throw new AppError(isUnknown ? 'UNKNOWN_REFERENCE' : 'VALIDATION_FAILED', 'the change is not valid', { errors });
};

/** A zone as source, without an adaptor: capable of everything. */
const zoneAsSource = (zoneUuid: string, { domainName, versionNumber }: DomainVersionView): AdaptorView => ({
  uuid: nilUuid,
  name: '',
  zoneUuid,
  active: true,
  state: 'STARTED',
  discoveryMode: false,
  capabilities: new Set(actions.map((action) => capabilityKey(domainName, versionNumber, action))),
});

const readData = async (jsonData: string | null | undefined, errors: ErrorCause[]): Promise<JsonObject | undefined> => {
  if (jsonData === null || jsonData === undefined) return undefined;
  let detail = 'must be a JSON-encoded object';
  try {
    const data = await inTurns(parseJsonInSteps(jsonData));
    if (isJsonObject(data)) return data;
  } catch (error) {
    if (error instanceof SyntaxError) detail = `${detail}: ${error.message}`;
  }
  errors.push({ pointer: '/jsonData', code: 'WRONG_FORMAT', detail });
  return undefined;
};

/** The event of a dry run, and its source. */
interface ReadDryRun {
  readonly source: AdaptorView;
  readonly event: Exclude<IncomingEvent, { readonly kind: 'FAULTY' }>;
}

const read = async (
  view: CatalogView,
  { zoneUuid, input }: DryRunArguments,
  newUuid: () => string,
): Promise<ReadDryRun> => {
  const errors: ErrorCause[] = [];
  const action = actions.find((each) => each === input.action);
  if (action === undefined) errors.push({ pointer: '/action', code: 'UNKNOWN_VALUE', detail: 'POST, PUT or DELETE' });
  const version = await view.findVersionByUuid(input.domainVersionUuid);
  const unknown = (name: string, what: string): ErrorCause => ({
    pointer: `/${name}`,
    code: 'UNKNOWN_REFERENCE',
    detail: `there is no such ${what}`,
  });
  if (version === undefined) errors.push(unknown('domainVersionUuid', 'domain version'));
  const adaptor = input.sourceAdaptorUuid ? await view.findAdaptor(input.sourceAdaptorUuid) : undefined;
  if (input.sourceAdaptorUuid && adaptor === undefined) errors.push(unknown('sourceAdaptorUuid', 'adaptor'));
  if (adaptor !== undefined && input.sourceZoneUuid && adaptor.zoneUuid !== input.sourceZoneUuid) {
    errors.push({
      pointer: '/sourceZoneUuid',
      code: 'CONTRADICTION',
      detail: `the adaptor is not in ${input.sourceZoneUuid}`,
    });
  }
  const data = await readData(input.jsonData, errors);
  if (data === undefined && errors.length === 0 && (action !== 'DELETE' || !input.drUuid)) {
    errors.push({
      pointer: '/jsonData',
      code: 'REQUIRED',
      detail: 'jsonData contains the changed properties; for DELETE, drUuid names the record',
    });
  }
  if (errors.length > 0 || version === undefined || action === undefined) return refuse(errors);

  const source = adaptor ?? zoneAsSource(input.sourceZoneUuid ?? zoneUuid, version);
  const reported: UpDataEvent = {
    action,
    domain: version.domainName,
    version: version.versionNumber,
    transactionUuid: newUuid(),
    createTime: 0,
    ...(input.drUuid ? { drUuid: input.drUuid } : {}),
    ...(data === undefined ? {} : action === 'DELETE' ? { drKey: data } : { json: data }),
  };
  const event = readDataEvent(view.catalog, source, reported);
  if (event.kind !== 'FAULTY') return { source, event };
  const causes = event.errors.map((error) => ({
    ...error,
    pointer: error.pointer.replace(/^\/(?:json|drKey)(?=\/|$)/, '/jsonData'),
  }));
  return refuse(causes.length > 0 ? causes : [{ pointer: '', code: 'NOT_ALLOWED', detail: event.title }]);
};

/** Where an entry of a chain is read. */
const pathOf = ({ chain, zoneUuid, aclUuid }: EntryPlace): string => {
  if (zoneUuid === null) return `/operational-acls/entries/${aclUuid}`;
  return `/zones/${zoneUuid}/${chain === 'INBOUND' ? 'inbound' : 'outbound'}-acls/${aclUuid}`;
};

/** The visible destinations and entries: those of the zone of the request, and those that the caller may read. */
const viewOf = (
  principal: Pick<Principal, 'permits'>,
  { zoneUuid, input }: DryRunArguments,
  source: AdaptorView,
): DryRunView => {
  const mayGet = (path: string): boolean => principal.permits('GET', path);
  const { domainVersionUuid } = input;
  const event = { zoneUuid, sourceZoneUuid: source.zoneUuid, domainVersionUuid };
  return {
    tells: (destination) => mayKnowDestination(mayGet, event, destination),
    names: (place) => place.zoneUuid === zoneUuid || mayGet(pathOf(place)),
  };
};

/** The visible part of records; undefined: everything. */
const seeingOf = (principal: Principal, { catalog }: CatalogView): LookupSight | undefined => {
  const readsAll = ['/drs', '/drs/?'].some((path) => principal.permits('GET', path));
  const mayRead = (recordUuid: string): boolean => principal.permits('GET', `/drs/${recordUuid}`);
  return lookupSightOf({ dataAccess: principal.dataAccess, ...(readsAll ? {} : { mayRead }) }, catalog);
};

/**
 * The effect of a data change (docs/reference/governance.md#dry-run): the code that routes events decides, over the
 * current records; nothing is written or sent. The records are those that the caller may see, as the caller may see
 * them: hidden data has no effect.
 *
 * @throws AppError VALIDATION_FAILED, UNKNOWN_REFERENCE
 */
export const dryRunAcls = async (
  { database, view: viewOfCatalog, newUuid }: RecordsWriting,
  args: DryRunArguments,
  { principal }: RequestContext,
): Promise<DryRun> => {
  const view = viewOfCatalog();
  await view.catchUp();
  const { source, event } = await read(view, args, newUuid);
  const { version, key, drUuid, kind } = event;
  if (version === undefined || (kind !== 'RECORD_CHANGED' && kind !== 'RECORD_DELETED')) {
    throw new TypeError('a dry-run is about a change or a deletion');
  }
  if (kind === 'RECORD_CHANGED') await findReferencedVersions(view, version.model);
  const { catalog, governance, operational } = view;
  const matchings = matchingsOf([version]);
  const seeing = seeingOf(principal, view);
  const decide = async (client: SqlClient): Promise<SupposedChange> => {
    await requireMatchIndexes(client, matchings);
    const { book, references } = await openSeenBooks(client, catalog, { event, version }, seeing);
    const outbox = new Outbox(() => ({ downSequence: 0, downAcked: 0 }));
    const context = { catalog, governance, operational, book, outbox, references, newUuid, isBlocked: () => false };
    const find = kind === 'RECORD_CHANGED' ? matchRecord : findRecord;
    const match = find(book, { version, sourceAdaptorUuid: source.uuid, drUuid, key });
    return { kind, drUuid, match, outcome: decideEvent(context, source, event) };
  };
  const change = await withMatchIndexes(database, () => database.transaction(decide));
  const { issue } = change.outcome;
  if (issue !== undefined && issue.cause !== 'OPERATIONAL' && issue.cause !== 'AMBIGUOUS') {
    return refuse(issue.errors.length > 0 ? issue.errors : [{ pointer: '', code: issue.cause, detail: issue.title }]);
  }
  return describeDryRun(change, viewOf(principal, args, source));
};
