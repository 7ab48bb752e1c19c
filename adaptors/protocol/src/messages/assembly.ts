import {
  type Check,
  count,
  epochMs,
  flag,
  jsonObject,
  list,
  nullable,
  optional,
  shape,
  text,
  uuid,
} from '../checks/check.js';
import type { JsonObject } from '../json/json-value.js';

/** A record that the server asks for; `drKey` is its DR Key in this adaptor. */
export interface RequestedRecord {
  readonly drUuid: string;
  readonly drKey: JsonObject;
}

/** `fds.assembly.request.v1` on `down/req`: requests live data from the adaptor's source. */
export interface AssemblyRequest {
  readonly requestUuid: string;
  readonly domain: string;
  readonly version: number;
  readonly domainVersionUuid: string;
  /** Null: all records of the adaptor, in pages that the adaptor makes. */
  readonly records: readonly RequestedRecord[] | null;
  /** Null: all properties. */
  readonly requestedProperties: readonly string[] | null;
  readonly page?: number;
  readonly size?: number;
  readonly sort?: string;
  readonly additionalParams?: JsonObject;
  /** The server ignores an answer that arrives after this time. */
  readonly timeoutMilliseconds: number;
}

export const assemblyRequest: Check<AssemblyRequest> = shape<AssemblyRequest>({
  requestUuid: uuid,
  domain: text,
  version: count,
  domainVersionUuid: uuid,
  records: nullable(list(shape<RequestedRecord>({ drUuid: uuid, drKey: jsonObject }))),
  requestedProperties: nullable(list(text)),
  page: optional(count),
  size: optional(count),
  sort: optional(text),
  additionalParams: optional(jsonObject),
  timeoutMilliseconds: count,
});

export interface AnsweredRecord {
  readonly drUuid?: string;
  readonly drKey: JsonObject;
  /** Null: the source no longer has it. */
  readonly data: JsonObject | null;
  /** Epoch milliseconds. */
  readonly lastUpdated?: number;
  readonly additionalParams?: JsonObject;
  /** In the answer to a timestamp search: epoch milliseconds of the record's versions. */
  readonly timestamps?: readonly number[];
}

/** `fds.assembly.answer.v1` on `up/rsp`, in one or several parts. The first part has the number 1. */
export interface AssemblyAnswer {
  readonly requestUuid: string;
  readonly part: number;
  readonly last: boolean;
  readonly records: readonly AnsweredRecord[];
  /** The total number of records, if `records` of the request was null. */
  readonly totalElements?: number;
  readonly timestamps?: readonly number[];
  readonly error?: { readonly code: string; readonly message: string };
}

export const assemblyAnswer: Check<AssemblyAnswer> = shape<AssemblyAnswer>({
  requestUuid: uuid,
  part: count,
  last: flag,
  records: list(
    shape<AnsweredRecord>({
      drUuid: optional(uuid),
      drKey: jsonObject,
      data: nullable(jsonObject),
      lastUpdated: optional(epochMs),
      additionalParams: optional(jsonObject),
      timestamps: optional(list(epochMs)),
    }),
  ),
  totalElements: optional(count),
  timestamps: optional(list(epochMs)),
  error: optional(shape<NonNullable<AssemblyAnswer['error']>>({ code: text, message: text })),
});
