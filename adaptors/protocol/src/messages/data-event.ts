import {
  type Check,
  epochMs,
  jsonObject,
  list,
  nullable,
  optional,
  refined,
  shape,
  text,
  uuid,
  word,
  count,
  flag,
} from '../checks/check.js';
import type { Fault } from '../checks/fault.js';
import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../json/json-value.js';
import { parseJson } from '../json/parse-json.js';

export type DataAction = 'POST' | 'PUT' | 'DELETE';

const action: Check<DataAction> = word('POST', 'PUT', 'DELETE');

/** `fds.data.v1` on `down/data`: a change that the adaptor applies. */
export interface DownDataEvent {
  readonly action: DataAction;
  readonly drUuid: string;
  readonly domain: string;
  readonly version: number;
  readonly domainVersionUuid: string;
  readonly sourceAdaptorUuid: string | null;
  readonly destinationAdaptorUuid: string;
  readonly transactionUuid: string;
  /** Epoch milliseconds. */
  readonly createTime: number;
  /** JSON-encoded array of the DR Key values, in the order of `drKeyProperties`. */
  readonly drKey: string;
  /** JSON-encoded object. An absent property was not sent or is not for this adaptor; null is a value. */
  readonly jsonData: string;
  /**
   * The top-level properties whose value is new to this adaptor; only these are written. The other properties repeat what
   * the server knows, and the system may hold a newer value. Absent (older servers): all properties are new.
   */
  readonly changed?: readonly string[];
  /**
   * In a message of a reconciliation: values that the server read from the adaptor's own system. They count as reported: such a
   * property is written only where the system still holds this value. Otherwise the local value stays and is reported.
   */
  readonly read?: JsonObject;
  readonly messageGroup: string;
}

export const downDataEvent: Check<DownDataEvent> = shape<DownDataEvent>({
  action,
  drUuid: uuid,
  domain: text,
  version: count,
  domainVersionUuid: uuid,
  sourceAdaptorUuid: nullable(uuid),
  destinationAdaptorUuid: uuid,
  transactionUuid: uuid,
  createTime: epochMs,
  drKey: text,
  jsonData: text,
  changed: optional(list(text)),
  read: optional(jsonObject),
  messageGroup: text,
});

/** `fds.data.v1` on `up/data`: a change in the adaptor's source. POST and PUT need `json` or `jsonData`. */
export interface UpDataEvent {
  readonly action: DataAction;
  readonly domain: string;
  readonly version: number;
  /** The record as an object; integers beyond 2^53 are bigint. */
  readonly json?: JsonObject;
  /** The record as JSON text, instead of `json`. */
  readonly jsonData?: string;
  /** Values of the DR Key by property, for a DELETE when `drUuid` is not known. */
  readonly drKey?: JsonObject;
  readonly drUuid?: string;
  readonly transactionUuid: string;
  /** Epoch milliseconds. */
  readonly createTime: number;
  /** The event that caused this change: an adaptor names it here when it rewrites applied data. */
  readonly originTransactionUuid?: string;
  /** True: the record was found by a first scan and did not change now. */
  readonly discovery?: boolean;
  /** The position of `down/data` that the source had seen when the change was read. */
  readonly seen?: SeenPosition;
}

/** A position in `down/data`, as the sender of an event saw it. */
export interface SeenPosition {
  readonly epoch: string;
  /** All messages up to this number were durably applied before the change was read. */
  readonly applied: number;
  /** No message beyond this number was begun before the event was written. Absent: any message may have been begun. */
  readonly begun?: number;
}

const seenPosition: Check<SeenPosition> = shape<SeenPosition>({
  epoch: uuid,
  applied: count,
  begun: optional(count),
});

const required = (pointer: string, detail: string): readonly Fault[] => [{ pointer, code: 'REQUIRED', detail }];

const carriesItsRecord = (event: UpDataEvent, pointer: string): readonly Fault[] => {
  if (event.action === 'DELETE')
    return event.drUuid === undefined && event.drKey === undefined
      ? required(`${pointer}/drKey`, 'or drUuid must say which record is deleted')
      : [];
  return event.json === undefined && event.jsonData === undefined
    ? required(`${pointer}/json`, `or jsonData is needed for ${event.action}`)
    : [];
};

export const upDataEvent: Check<UpDataEvent> = refined(
  shape<UpDataEvent>({
    action,
    domain: text,
    version: count,
    json: optional(jsonObject),
    jsonData: optional(text),
    drKey: optional(jsonObject),
    drUuid: optional(uuid),
    transactionUuid: uuid,
    createTime: epochMs,
    originTransactionUuid: optional(uuid),
    discovery: optional(flag),
    seen: optional(seenPosition),
  }),
  carriesItsRecord,
);

/**
 * `fds.link.v1`: records that the adaptor has now, or no longer has. On `up/data` with a `sequence`, on `up/link`
 * without.
 */
export interface LinkReport {
  readonly links: readonly Link[];
}

/** A record, named by `drUuid`, by its DR Key in this adaptor, or by both. */
export interface Link {
  readonly action: 'LINK' | 'UNLINK';
  readonly domain: string;
  readonly version: number;
  readonly drUuid?: string;
  readonly drKey?: JsonObject;
}

const namesItsRecord = (link: Link, pointer: string): readonly Fault[] =>
  link.drUuid === undefined && link.drKey === undefined
    ? required(`${pointer}/drUuid`, 'or drKey must name the record')
    : [];

export const linkReport: Check<LinkReport> = shape<LinkReport>({
  links: list(
    refined(
      shape<Link>({
        action: word('LINK', 'UNLINK'),
        domain: text,
        version: count,
        drUuid: optional(uuid),
        drKey: optional(jsonObject),
      }),
      namesItsRecord,
    ),
  ),
});

/**
 * The object in a JSON-encoded member such as `jsonData`.
 *
 * @throws SyntaxError when the text is not a JSON object
 */
export const parseJsonData = (jsonData: string): JsonObject => {
  const value = parseJson(jsonData);
  if (!isJsonObject(value)) throw new SyntaxError('jsonData is not an object');
  return value;
};

/**
 * The values in a JSON-encoded `drKey`.
 *
 * @throws SyntaxError when the text is not a JSON array
 */
export const parseDrKey = (drKey: string): readonly JsonValue[] => {
  const value = parseJson(drKey);
  if (!Array.isArray(value)) throw new SyntaxError('drKey is not a list');
  return value as JsonArray;
};
