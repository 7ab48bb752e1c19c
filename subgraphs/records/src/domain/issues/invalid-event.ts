import type { ErrorCause } from '@fds/errors';
import { isJsonObject, parseJson, type JsonObject, ofSegment } from '@fds/json';
import type { RaisedIssue } from '../events/event-outcome.js';
import type { Seen } from '../routing/seen.js';

/** The part of an event that is not valid which a later event of the record does not replace. */
export interface SoundPart {
  /** The properties that no error is about. */
  readonly properties: JsonObject;
  /** The messages that the source had applied when the event arrived. Undefined: not known. */
  readonly seen: Seen | undefined;
}

/** An event that waits because it is not valid. */
export type InvalidEvent =
  /** It violates the bus contract: none of its values is known. */
  | { readonly kind: 'UNREADABLE' }
  /** `sound` is undefined where the event was not loaded. */
  | { readonly kind: 'READABLE'; readonly sound: SoundPart | undefined };

const topProperty = ({ pointer }: ErrorCause): string | undefined => {
  const [, member, property] = pointer.split('/');
  return member === 'json' && property !== undefined ? ofSegment(property).toLowerCase() : undefined;
};

const readRecord = (dataEvent: string): JsonObject => {
  const event = parseJson(dataEvent);
  const json = isJsonObject(event) ? event['json'] : undefined;
  return json !== undefined && isJsonObject(json) ? json : {};
};

/** As many errors as a list has at most (`FaultList` of @fds/model-schema). */
const mostErrors = 1000;

/**
 * The properties of the event that no error of its issue is about. A full list of errors does not name all of them; then no property is
 * known to be sound.
 *
 * @param dataEvent JSON text
 */
export const soundProperties = (dataEvent: string, errors: readonly ErrorCause[]): JsonObject => {
  if (errors.length >= mostErrors) return {};
  const faulty = new Set(errors.map(topProperty));
  return Object.fromEntries(Object.entries(readRecord(dataEvent)).filter(([name]) => !faulty.has(name.toLowerCase())));
};

/**
 * The event of an issue, if it waits because it is not valid by itself. Undefined: it waits for something else, for example
 * for a permission, for another record or behind another event.
 */
export const invalidEventOf = (
  issue: Pick<RaisedIssue, 'cause' | 'exception' | 'dataEvent' | 'errors' | 'seen' | 'keyDigest' | 'awaits'>,
): InvalidEvent | undefined => {
  const { cause, exception, dataEvent, errors, seen, keyDigest, awaits = [] } = issue;
  if (cause === 'UNREADABLE') return { kind: cause };
  // it is valid as soon as the record exists that it refers to
  if (awaits.some((key) => key.keyDigest !== keyDigest)) return undefined;
  if (cause !== 'NOT_VALID' && (cause !== 'FAULTY' || exception !== 'PARSING')) return undefined;
  const sound = dataEvent === null ? undefined : { properties: soundProperties(dataEvent, errors), seen };
  return { kind: 'READABLE', sound };
};
