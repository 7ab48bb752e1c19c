import { findUnstorableText, type DataAction, type Link, type UpDataEvent } from '@fds/adaptor-protocol';
import type { ErrorCause } from '@fds/errors';
import { parseJson, stringifyJson, type JsonObject } from '@fds/json';
import { isCapable, type AdaptorView, type Catalog, type DomainVersionView } from '../catalog.js';
import type { EventKey, FaultyEvent, IncomingEvent } from './incoming-event.js';
import { malformedDigest, readKey } from './read-key.js';
import { shownEvent } from './shown-event.js';
import { unreadableEvent } from './unreadable-event.js';

/** The subject of a fault, as far as it is known. */
interface FaultContext {
  readonly adaptor: AdaptorView;
  readonly text: () => string;
  readonly version?: DomainVersionView;
  readonly key?: EventKey | undefined;
  readonly drUuid?: string | undefined;
}

const faulty = (
  { adaptor, version, key, drUuid, text }: FaultContext,
  exception: FaultyEvent['exception'],
  title: string,
  errors: readonly ErrorCause[],
): FaultyEvent => ({
  kind: 'FAULTY',
  sourceAdaptorUuid: adaptor.uuid,
  version,
  key,
  drUuid,
  exception,
  cause: 'FAULTY',
  title,
  errors,
  text,
});

const below = (parent: string, errors: readonly ErrorCause[]): readonly ErrorCause[] =>
  errors.map((error) => ({ ...error, pointer: `${parent}${error.pointer}` }));

/** The fault of an event that names a domain or a version which is not there. */
const unknownVersion = (catalog: Pick<Catalog, 'version'>, { domain, version }: UpDataEvent): ErrorCause => {
  const code = 'UNKNOWN_VERSION';
  return catalog.version(domain, 0) === undefined
    ? { pointer: '/domain', code, detail: `there is no domain "${domain}" that has a version` }
    : { pointer: '/version', code, detail: `the domain "${domain}" has no version ${version}` };
};

/** The names of a record's members that the reported object does not have. */
const absentNames = (record: JsonObject, reported: JsonObject): ReadonlySet<string> => {
  const names = new Set(Object.keys(reported).map((name) => name.toLowerCase()));
  return new Set(Object.keys(record).filter((name) => !names.has(name.toLowerCase())));
};

/** The event, with its DR Key if that is complete and not valid. */
const withMalformedKey = (
  event: FaultyEvent,
  { model }: DomainVersionView,
  members: JsonObject | undefined,
  deletedBy?: string,
): FaultyEvent => {
  const digest = event.key !== undefined || members === undefined ? undefined : malformedDigest(model, members);
  return digest === undefined ? event : { ...event, malformedKey: { digest, deletedBy } };
};

/** The event of a source that may not send it; undefined: it may. */
const refuseSource = (
  context: FaultContext,
  version: DomainVersionView,
  action: DataAction,
): FaultyEvent | undefined => {
  if (!version.active) return faulty(context, 'OTHER', 'The domain version is not active', []);
  const capable =
    action === 'DELETE'
      ? isCapable(context.adaptor, version, 'DELETE')
      : isCapable(context.adaptor, version, 'POST') || isCapable(context.adaptor, version, 'PUT');
  if (capable) return undefined;
  const title = 'The adaptor has no capability for the action and the domain version';
  return { ...faulty(context, 'OTHER', title, []), lacks: { kind: 'CAPABILITY' } };
};

/** No model has so many properties, and every reader of such an object takes long. */
const maxMembers = 10_000;

/** The fault of an object with too many members. */
const tooWide = (pointer: string, members: JsonObject | undefined): readonly ErrorCause[] =>
  members === undefined || Object.keys(members).length <= maxMembers
    ? []
    : [{ pointer, code: 'OUT_OF_RANGE', detail: `has more than ${maxMembers} members` }];

const readKind = (catalog: Catalog, adaptor: AdaptorView, sent: UpDataEvent): IncomingEvent => {
  const event: UpDataEvent = shownEvent(sent);
  // an event that arrived in discovery mode is discovery also when it is read again
  const text = (): string => stringifyJson(adaptor.discoveryMode ? { ...event, discovery: true } : event);
  const version = catalog.version(event.domain, event.version);
  if (version === undefined) {
    return {
      ...faulty({ adaptor, text }, 'PARSING', 'The domain version is unknown', [unknownVersion(catalog, event)]),
      cause: 'UNKNOWN_VERSION',
      lacks: { kind: 'VERSION', domainName: event.domain, number: event.version },
    };
  }
  const wide = [...tooWide('/json', event.json), ...tooWide('/drKey', event.drKey)];
  if (wide.length > 0)
    return unreadableEvent(catalog, adaptor, { shown: event as unknown as JsonObject, errors: wide });
  const { model } = version;
  const base = {
    sourceAdaptorUuid: adaptor.uuid,
    version,
    transactionUuid: event.transactionUuid,
    createTime: event.createTime,
    drUuid: event.drUuid,
    originTransactionUuid: event.originTransactionUuid,
    seen: event.seen,
    text,
    linkOnly: adaptor.discoveryMode || event.discovery === true,
  };

  if (event.action === 'DELETE') {
    const key = event.drKey === undefined ? undefined : readKey(model, event.drKey);
    const context = { adaptor, version, text, key, drUuid: event.drUuid };
    const refused = refuseSource(context, version, event.action);
    if (refused !== undefined) return refused;
    if (key === undefined && event.drUuid === undefined) {
      const validation = model.validateDrKey(event.drKey ?? {});
      const errors = validation.valid ? [] : below('/drKey', validation.errors);
      const fault = faulty(context, 'PARSING', 'The DR Key is not valid', errors);
      return withMalformedKey(fault, version, event.drKey, event.transactionUuid);
    }
    return { kind: 'RECORD_DELETED', ...base, key };
  }

  const { json } = event;
  if (json === undefined) {
    const errors = [{ pointer: '/jsonData', code: 'WRONG_FORMAT', detail: 'must be a JSON-encoded object' }];
    return unreadableEvent(catalog, adaptor, { shown: parseJson(text()), errors });
  }
  // the bus contract checks `json`; `jsonData` was one text until now
  const unstorable = sent.json === undefined ? findUnstorableText(json, '/json') : [];
  if (unstorable.length > 0) return unreadableEvent(catalog, adaptor, { shown: parseJson(text()), errors: unstorable });
  const key = readKey(model, json);
  const context = { adaptor, version, text, key, drUuid: event.drUuid };
  const refused = refuseSource(context, version, event.action);
  if (refused !== undefined) return refused;
  // a data-store event may carry a part of the record: the whole is validated after the merge
  if (version.domainType === 'SERVICE_DATA_STORE' && key !== undefined) {
    return { kind: 'RECORD_CHANGED', ...base, key, record: json };
  }
  const validation = model.validate(json);
  if (!validation.valid) {
    const { originTransactionUuid } = event;
    const echo = originTransactionUuid === undefined ? {} : { echo: { originTransactionUuid, json } };
    const fault = faulty(context, 'PARSING', 'The record is not valid', below('/json', validation.errors));
    return withMalformedKey({ ...fault, ...echo }, version, json);
  }
  const drKey = model.drKeyOf(validation.record);
  const validKey = key ?? { drKey, digest: model.keyDigest(drKey) };
  const filled = event.originTransactionUuid === undefined ? {} : { filled: absentNames(validation.record, json) };
  return { kind: 'RECORD_CHANGED', ...base, key: validKey, record: validation.record, ...filled };
};

/**
 * Reads an adaptor's data event against the catalog: version, capability of the source, model, DR Key.
 *
 * @param adaptor the sender, by its credentials
 * @returns FAULTY when it cannot be processed
 */
export const readDataEvent = (catalog: Catalog, adaptor: AdaptorView, event: UpDataEvent): IncomingEvent => {
  const read = readKind(catalog, adaptor, event);
  return read.kind === 'FAULTY' && event.seen !== undefined ? { ...read, seen: event.seen } : read;
};

/** A report of links that changes nothing. */
export const emptyReport = (adaptor: AdaptorView): IncomingEvent => ({
  kind: 'EMPTY',
  sourceAdaptorUuid: adaptor.uuid,
  version: undefined,
  key: undefined,
  drUuid: undefined,
  text: () => '{"links":[]}',
});

/** Reads a reported link; undefined when it names no version or no valid key. */
export const readLink = (catalog: Catalog, adaptor: AdaptorView, link: Link): IncomingEvent | undefined => {
  const version = catalog.version(link.domain, link.version);
  if (version === undefined) return undefined;
  const key = link.drKey === undefined ? undefined : readKey(version.model, link.drKey);
  if (key === undefined && link.drUuid === undefined) return undefined;
  return {
    kind: link.action === 'LINK' ? 'LINKED' : 'UNLINKED',
    sourceAdaptorUuid: adaptor.uuid,
    version,
    transactionUuid: undefined,
    createTime: 0,
    drUuid: link.drUuid,
    key,
    text: () => stringifyJson(link),
  };
};
