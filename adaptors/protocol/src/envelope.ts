import { type Check, dateTime, flag, jsonObject, optional, shape, text, uuid, word } from './checks/check.js';
import { type Fault, invalid, type Parsed, valid } from './checks/fault.js';
import type { JsonObject, JsonValue } from './json/json-value.js';
import { nestsDeeper } from './json/nests-deeper.js';
import { parseJson } from './json/parse-json.js';
import { stringifyJson } from './json/stringify-json.js';
import { maxNesting, maxPayloadBytes } from './limits.js';
import { formatSequence, parseSequence } from './sequence-text.js';
import { readTraceparent } from './tracing/trace-context.js';

/** Attributes of CloudEvents 1.0, structured JSON, as the bus uses them. */
export interface Attributes {
  readonly id: string;
  /** `/adaptors/<uuid>` or `/server`. */
  readonly source: string;
  readonly type: string;
  /** RFC 3339. */
  readonly time: string;
  /** DR uuid. */
  readonly subject?: string;
  /** Message group: messages of one key stay in order. Default: the DR uuid. */
  readonly partitionkey?: string;
  /** Starts at 1, without gaps, within `epoch`. On the wire it is a string of 19 digits. */
  readonly sequence?: number;
  /** The sequence space of `sequence`. */
  readonly epoch?: string;
  readonly correlationid?: string;
  readonly expirytime?: string;
  /** W3C trace context. A malformed one counts as absent. */
  readonly traceparent?: string;
  /** The server instance that waits for the answer. */
  readonly replyinstance?: string;
  /** True: the message had a number in a former sequence, which a restored server does not know. */
  readonly resent?: boolean;
}

export interface Envelope<D = JsonObject> extends Attributes {
  readonly data: D;
}

/** `source` of the server's messages. */
export const serverSource = '/server';

/** `source` of an adaptor's messages. */
export const adaptorSource = (adaptorUuid: string): string => `/adaptors/${adaptorUuid}`;

/** Writes an envelope as JSON text. Integers in `data` may be bigint. */
export const buildEnvelope = ({ sequence, data, ...attributes }: Envelope<object>): string =>
  stringifyJson({
    specversion: '1.0',
    ...attributes,
    ...(sequence === undefined ? {} : { sequence: formatSequence(sequence) }),
    datacontenttype: 'application/json',
    data,
  });

const sequenceText: Check<number> = (value, pointer, faults) => {
  const sequence = typeof value === 'string' ? parseSequence(value) : undefined;
  if (sequence === undefined) {
    faults.push({ pointer, code: 'WRONG_FORMAT', detail: 'must be a string of up to 19 digits, from 1' });
    return 0;
  }
  return sequence;
};

/** A trace is no reason to refuse a message: a malformed one is left out. */
const traceparent: Check<string | undefined> = (value) =>
  typeof value === 'string' && readTraceparent(value) !== undefined ? value : undefined;

const envelope = shape<Envelope & { readonly specversion: '1.0' }>({
  specversion: word('1.0'),
  id: text,
  source: text,
  type: text,
  time: dateTime,
  subject: optional(text),
  partitionkey: optional(text),
  sequence: optional(sequenceText),
  epoch: optional(uuid),
  correlationid: optional(text),
  expirytime: optional(dateTime),
  traceparent,
  replyinstance: optional(text),
  resent: optional(flag),
  data: jsonObject,
});

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Parses an untrusted payload as JSON, within the limits of the bus. */
export const parsePayload = (payload: Uint8Array): Parsed<JsonValue> => {
  if (payload.byteLength > maxPayloadBytes)
    return invalid({ pointer: '', code: 'TOO_LARGE', detail: `is larger than ${maxPayloadBytes} bytes` });
  try {
    const text = decoder.decode(payload);
    if (nestsDeeper(text, maxNesting))
      return invalid({ pointer: '', code: 'TOO_DEEP', detail: `nests more than ${maxNesting} levels deep` });
    return valid(parseJson(text));
  } catch {
    return invalid({ pointer: '', code: 'NOT_JSON', detail: 'is not JSON in UTF-8' });
  }
};

/** Reads JSON as an envelope, and reports all its faults at once. `data` is only checked to be an object. */
export const checkEnvelope = (json: JsonValue): Parsed<Envelope> => {
  const faults: Fault[] = [];
  const { specversion: _, ...value } = envelope(json, '', faults) ?? {};
  return faults.length === 0 ? valid(value as Envelope) : invalid(...faults);
};

/** Reads an untrusted payload as an envelope. */
export const parseEnvelope = (payload: Uint8Array): Parsed<Envelope> => {
  const parsed = parsePayload(payload);
  return parsed.ok ? checkEnvelope(parsed.value) : parsed;
};
