import { isJsonObject, parseJson, type JsonValue } from '@fds/json';
import { namesProperty } from '../routing/sent-content.js';

/** A message of the record that the adaptor applied after the failed one. */
export interface LaterMessage {
  readonly transactionUuid: string;
  readonly action: string;
  /** See `toSentContent`; null for DELETE. */
  readonly content: string | null;
}

/** An issue of exception ADAPTOR, and the later history of its record. */
export interface FailedRecord {
  /** JSON text of the failed message. */
  readonly dataEvent: string | null;
  /** As the adaptor named them. */
  readonly failedProperties: readonly string[];
  /** The properties that the adaptor still lacks, as far as is known. */
  readonly lacks: readonly string[];
  /** Transaction of an event of the adaptor itself; null: none. */
  readonly reported: string | null;
  readonly applied: readonly LaterMessage[];
}

const namesIn = (value: JsonValue | undefined): readonly string[] | undefined =>
  Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : undefined;

/** The properties that the failed message was to change. */
const failedIn = ({ failedProperties, dataEvent }: FailedRecord): readonly string[] => {
  if (failedProperties.length > 0 || dataEvent === null) return failedProperties;
  const message = parseJson(dataEvent);
  if (!isJsonObject(message)) return [];
  const changed = namesIn(message['changed']);
  if (changed !== undefined) return changed;
  const { jsonData } = message;
  const data = typeof jsonData === 'string' ? parseJson(jsonData) : undefined;
  return data !== undefined && isJsonObject(data) ? Object.keys(data) : [];
};

/** Why the failure of a destination is repaired. Undefined: it is not. */
export const repairedBy = (failed: FailedRecord): string | undefined => {
  const { reported, applied, lacks } = failed;
  if (reported === null && applied.length === 0) return undefined;
  const names = failedIn(failed);
  // a report that repeats the former values repairs nothing, nor does a message that was queued before the server knew of the
  // failure: it carries the values, but `changed` does not name them
  if (names.some((name) => lacks.includes(name))) return undefined;
  if (reported !== null) {
    return `The adaptor has reported the record since (transaction ${reported}).`;
  }
  const repair = applied.find(
    ({ action, content }) =>
      action === 'DELETE' || (content !== null && names.every((name) => namesProperty(content, name))),
  );
  return repair && `The adaptor has applied a later message of the record (transaction ${repair.transactionUuid}).`;
};
