import { type Check, count, jsonObject, list, optional, shape, text, uuid, word } from '../checks/check.js';
import type { JsonObject } from '../json/json-value.js';
import type { DataAction } from './data-event.js';

/** A cause of a refusal. */
export interface RefusalCause {
  /** JSON pointer into the event's `data`; empty: the whole event. */
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/**
 * `fds.refused.v1` on `down/ops`: an event of the adaptor became a data issue. The server repeats the notice after each
 * START until the adaptor has acknowledged it. Members that the event did not contain, or that could not be read, are
 * absent.
 */
export interface Refusal {
  readonly issueUuid: string;
  /** Epoch of the event in `up/data`. */
  readonly epoch: string;
  readonly sequence: number;
  readonly transactionUuid?: string;
  readonly action?: DataAction;
  readonly domain?: string;
  readonly version?: number;
  readonly drUuid?: string;
  readonly drKey?: JsonObject;
  /** The cause of the issue, such as NOT_VALID or AMBIGUOUS. */
  readonly code: string;
  readonly message: string;
  /** The first 20 faulty places in the event. */
  readonly errors: readonly RefusalCause[];
}

export const refusal: Check<Refusal> = shape<Refusal>({
  issueUuid: uuid,
  epoch: uuid,
  sequence: count,
  transactionUuid: optional(uuid),
  action: optional(word('POST', 'PUT', 'DELETE')),
  domain: optional(text),
  version: optional(count),
  drUuid: optional(uuid),
  drKey: optional(jsonObject),
  code: text,
  message: text,
  errors: list(shape<RefusalCause>({ pointer: text, code: text, message: text })),
});

/** `fds.refused.ack.v1` on `up/ops`: the adaptor has handled the notices of these issues. */
export interface RefusalAck {
  readonly issueUuids: readonly string[];
}

export const refusalAck: Check<RefusalAck> = shape<RefusalAck>({ issueUuids: list(uuid) });

/**
 * `fds.superseded.v1` on `down/ops`: another process has taken over the adaptor. The process that the notice names must
 * end.
 */
export interface Superseded {
  /** `instance` of the process that must end, as in its `up/status`. */
  readonly instance: string;
  /** `instance` of the process that took over. */
  readonly by: string;
}

export const superseded: Check<Superseded> = shape<Superseded>({ instance: uuid, by: uuid });
