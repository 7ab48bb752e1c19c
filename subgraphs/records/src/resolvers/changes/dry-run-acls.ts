import type { UpDataEvent } from '@fds/adaptor-protocol';
import type { SqlClient } from '@fds/database';
import { AppError, type ErrorCause } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import { isJsonObject, parseJson, type JsonObject } from '@fds/json';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import { findReferencedVersions } from '../../catalog-view/find-referenced-versions.js';
import { capabilityKey, type AdaptorView, type DomainVersionView } from '../../domain/catalog.js';
import { Outbox } from '../../domain/routing/outbox.js';
import { decideEvent } from '../../domain/events/decide-event.js';
import type { EventOutcome } from '../../domain/events/event-outcome.js';
import { describeDryRun, type DryRun } from '../../domain/routing/dry-run.js';
import type { IncomingEvent } from '../../domain/events/incoming-event.js';
import { readDataEvent } from '../../domain/events/read-event.js';
import { nearKeysOf } from '../../domain/events/near-keys-of.js';
import { matchingsOf } from '../../domain/records/near-records.js';
import { RecordBook } from '../../domain/records/record-book.js';
import { requireMatchIndexes } from '../../store/matching/require-match-indexes.js';
import { withMatchIndexes } from '../../store/matching/with-match-indexes.js';
import { loadRecords } from '../../store/records/load-records.js';
import { openReferenceBook } from '../../store/references/open-reference-book.js';
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

/** A source in a zone that is no adaptor: capable of everything. */
const zoneAsSource = (zoneUuid: string, { domainName, versionNumber }: DomainVersionView): AdaptorView => ({
  uuid: nilUuid,
  name: '',
  zoneUuid,
  active: true,
  state: 'STARTED',
  discoveryMode: false,
  capabilities: new Set(actions.map((action) => capabilityKey(domainName, versionNumber, action))),
});

const readData = (jsonData: string | null | undefined, errors: ErrorCause[]): JsonObject | undefined => {
  if (jsonData === null || jsonData === undefined) return undefined;
  try {
    const data = parseJson(jsonData);
    if (isJsonObject(data)) return data;
  } catch {
    // told below
  }
  errors.push({ pointer: '/jsonData', code: 'WRONG_FORMAT', detail: 'must be a JSON-encoded object' });
  return undefined;
};

/** What is changed, from where. */
interface ReadDryRun {
  readonly source: AdaptorView;
  readonly event: Exclude<IncomingEvent, { readonly kind: 'FAULTY' }>;
  readonly data: JsonObject;
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
    errors.push({ pointer: '/sourceZoneUuid', code: 'CONTRADICTION', detail: `the adaptor is of ${adaptor.zoneUuid}` });
  }
  const data = readData(input.jsonData, errors);
  if (data === undefined && errors.length === 0 && (action !== 'DELETE' || !input.drUuid)) {
    errors.push({ pointer: '/jsonData', code: 'REQUIRED', detail: 'say what is changed' });
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
  if (event.kind !== 'FAULTY') return { source, event, data: data ?? {} };
  const causes = event.errors.map((error) => ({
    ...error,
    pointer: error.pointer.replace(/^\/(?:json|drKey)(?=\/|$)/, '/jsonData'),
  }));
  return refuse(causes.length > 0 ? causes : [{ pointer: '', code: 'NOT_ALLOWED', detail: event.title }]);
};

/**
 * What a data change would become (decisions, section 9): decided by what routes events, over records as they are; nothing is
 * written or sent. Who may not read the record is shown of messages what they sent themselves.
 *
 * @throws AppError VALIDATION_FAILED, UNKNOWN_REFERENCE
 */
export const dryRunAcls = async (
  { database, view: viewOf, newUuid }: RecordsWriting,
  args: DryRunArguments,
  { principal }: RequestContext,
): Promise<DryRun> => {
  const view = viewOf();
  await view.catchUp();
  const { source, event, data } = await read(view, args, newUuid);
  const { version, key, drUuid } = event;
  if (event.kind === 'RECORD_CHANGED') await findReferencedVersions(view, version.model);
  const { catalog, governance, operational } = view;
  const matchings = matchingsOf([version]);
  const decide = async (client: SqlClient): Promise<EventOutcome> => {
    await requireMatchIndexes(client, matchings);
    const { records: stored, removedLinks } = await loadRecords(client, {
      keys: key === undefined ? [] : [{ domainVersionUuid: version.uuid, keyDigest: key.digest }],
      uuids: drUuid === undefined ? [] : [drUuid],
      near: nearKeysOf([event]),
    });
    const book = new RecordBook(stored, matchings, removedLinks);
    const isStored = version.domainType === 'SERVICE_DATA_STORE';
    const references = await openReferenceBook(client, {
      catalog,
      book,
      stored,
      written: isStored && event.kind === 'RECORD_CHANGED' ? [{ version, json: event.record }] : [],
      deletedUuids: isStored && event.kind === 'RECORD_DELETED' ? stored.map(({ uuid }) => uuid) : [],
    });
    const outbox = new Outbox(() => ({ downSequence: 0, downAcked: 0 }));
    const context = { catalog, governance, operational, book, outbox, references, newUuid, isHeld: () => false };
    return decideEvent(context, source, event);
  };
  const outcome = await withMatchIndexes(database, () => database.transaction(decide));
  const { issue, event: accepted } = outcome;
  if (issue !== undefined && issue.cause !== 'OPERATIONAL' && issue.cause !== 'AMBIGUOUS') {
    return refuse(issue.errors.length > 0 ? issue.errors : [{ pointer: '', code: issue.cause, detail: issue.title }]);
  }
  const mayRead = principal.permits('GET', `/drs/${accepted?.recordUuid ?? drUuid ?? '?'}`);
  const sent = new Set(Object.keys(data).map((name) => name.toLowerCase()));
  const restriction = mayRead && accepted !== undefined ? principal.dataAccess : undefined;
  const isOwn = source.zoneUuid === args.zoneUuid;
  return describeDryRun(outcome, {
    asked: { action: args.input.action, drUuid },
    tells: (zoneUuid) => isOwn || zoneUuid === args.zoneUuid,
    // who is held back by data access rules sees no more than who may not read at all
    shows: (property) => (mayRead && restriction === undefined) || sent.has(property.toLowerCase()),
  });
};
