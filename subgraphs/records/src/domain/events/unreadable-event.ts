import type { ErrorCause } from '@fds/errors';
import { isJsonObject, isUuid, parseJson, stringifyJson, type JsonObject, type JsonValue } from '@fds/json';
import type { AdaptorView, Catalog, DomainVersionView } from '../catalog.js';
import type { EventKey, FaultyEvent } from './incoming-event.js';
import { malformedDigest, readKey } from './read-key.js';
import { shownEvent } from './shown-event.js';

/** A message that violates the bus contract, as far as it can be read. */
export interface UnreadableMessage {
  /**
   * Shown by the issue: the `data` of the message; the whole message if it has no `data`; text if it is not JSON; the start
   * of the text if it is too large.
   */
  readonly shown: JsonValue;
  /** With pointers into `shown`. */
  readonly errors: readonly ErrorCause[];
}

const envelopeFault = ({ pointer, code, detail }: ErrorCause): ErrorCause =>
  pointer === ''
    ? { pointer, code, detail }
    : { pointer: '', code, detail: `${pointer.slice(1)} of the envelope ${detail}` };

/** A message whose envelope could be read. Faults of the envelope are about the event as a whole. */
export const unreadableData = (data: JsonObject, faults: readonly ErrorCause[]): UnreadableMessage => ({
  shown: shownEvent(data) as JsonObject,
  errors: faults.map((fault) =>
    fault.pointer === '/data' || fault.pointer.startsWith('/data/')
      ? { ...fault, pointer: fault.pointer.slice('/data'.length) }
      : envelopeFault(fault),
  ),
});

/** A message that is JSON and has a faulty envelope. */
export const unreadableJson = (message: JsonValue, faults: readonly ErrorCause[]): UnreadableMessage => {
  const data = isJsonObject(message) ? message['data'] : undefined;
  return data !== undefined && isJsonObject(data) ? unreadableData(data, faults) : { shown: message, errors: faults };
};

/** The message nests too deeply, or it is not JSON: it is kept as text. */
const isText = (faults: readonly ErrorCause[]): boolean =>
  faults.some(({ code }) => code === 'NOT_JSON' || code === 'TOO_DEEP');

/** The part of a message that its issue keeps if the message is larger than the bus allows, in bytes. */
const keptBytes = 16 * 1024;

/** Is the message larger than the bus allows? An external broker may deliver such a message. */
export const isOversized = (faults: readonly ErrorCause[]): boolean => faults.some(({ code }) => code === 'TOO_LARGE');

/** A message whose envelope has faults. The result does not refer to the payload. */
export const unreadablePayload = (payload: Uint8Array, faults: readonly ErrorCause[]): UnreadableMessage => {
  const decoder = new TextDecoder();
  // a stream leaves out a last character that is cut
  if (isOversized(faults)) {
    return { shown: decoder.decode(payload.subarray(0, keptBytes), { stream: true }), errors: faults };
  }
  const text = decoder.decode(payload);
  if (isText(faults)) return { shown: text, errors: faults };
  return unreadableJson(parseJson(text), faults);
};

/** The domain version that a malformed message names. */
export const namedVersion = (
  shown: JsonValue,
): { readonly domainName: string; readonly versionNumber: number } | undefined => {
  if (!isJsonObject(shown)) return undefined;
  const { domain, version } = shown;
  const versionNumber = typeof version === 'string' && /^\d{1,9}$/.test(version) ? Number(version) : version;
  if (typeof domain !== 'string' || typeof versionNumber !== 'number') return undefined;
  return Number.isSafeInteger(versionNumber) && versionNumber >= 0 ? { domainName: domain, versionNumber } : undefined;
};

/** The DR Key of a change, if it is complete and not valid. */
const malformedKeyOf = (
  { model }: DomainVersionView,
  { action, json }: JsonObject,
): Pick<FaultyEvent, 'malformedKey'> => {
  if (action === 'DELETE' || json === undefined || !isJsonObject(json)) return {};
  const digest = readKey(model, json) === undefined ? malformedDigest(model, json) : undefined;
  return digest === undefined ? {} : { malformedKey: { digest, deletedBy: undefined } };
};

const keyOf = ({ model }: DomainVersionView, shown: JsonObject): EventKey | undefined => {
  for (const members of [shown['json'], shown['drKey']]) {
    const key = members !== undefined && isJsonObject(members) ? readKey(model, members) : undefined;
    if (key !== undefined) return key;
  }
  return undefined;
};

/**
 * The event of a message that violates the bus contract. It has the version, key and record that can be read, so that its
 * issue names the version and the record waits.
 */
export const unreadableEvent = (
  catalog: Pick<Catalog, 'version'>,
  adaptor: AdaptorView,
  { shown, errors }: UnreadableMessage,
): FaultyEvent => {
  const named = namedVersion(shown);
  const version = named === undefined ? undefined : catalog.version(named.domainName, named.versionNumber);
  const event = isJsonObject(shown) ? shown : undefined;
  const drUuid = event?.['drUuid'];
  return {
    kind: 'FAULTY',
    sourceAdaptorUuid: adaptor.uuid,
    version,
    key: version === undefined || event === undefined ? undefined : keyOf(version, event),
    drUuid: typeof drUuid === 'string' && isUuid(drUuid) ? drUuid : undefined,
    exception: 'PARSING',
    cause: 'UNREADABLE',
    title: 'The message is not a data event',
    errors,
    ...(version === undefined || event === undefined ? {} : malformedKeyOf(version, event)),
    // an event of discovery mode stays discovery when it is read again
    text: () =>
      typeof shown === 'string'
        ? shown
        : stringifyJson(event !== undefined && adaptor.discoveryMode ? { ...event, discovery: true } : shown),
  };
};
