import type { Refusal } from '@fds/adaptor-protocol';
import { isJsonObject, isUuid, type JsonObject, type JsonValue, stringifyJson } from '@fds/json';
import type { RaisedIssue } from '../events/event-outcome.js';
import type { EventKey } from '../events/incoming-event.js';

/** An event that became an issue. */
export interface RefusedOrigin {
  /** Its place in the sequence of its adaptor. */
  readonly position: { readonly epoch: string; readonly sequence: number };
  readonly key: EventKey | undefined;
  readonly drUuid: string | undefined;
  /** The `data` of its message; a text where it could not be read. */
  readonly data: JsonValue;
}

const maxErrors = 20;
/** A key that is longer is left out: the event is found by its sequence. */
const maxKeyLength = 16_384;

const wordIn = (data: JsonObject, name: string): string | undefined => {
  const value = data[name];
  return typeof value === 'string' ? value : undefined;
};

const keyOf = (key: JsonObject | undefined): Pick<Refusal, 'drKey'> =>
  key === undefined || stringifyJson(key).length > maxKeyLength ? {} : { drKey: key };

const namedBy = (data: JsonObject): Partial<Refusal> => {
  const [transactionUuid, action, domain] = ['transactionUuid', 'action', 'domain'].map((name) => wordIn(data, name));
  const { version } = data;
  return {
    ...(transactionUuid !== undefined && isUuid(transactionUuid) ? { transactionUuid } : {}),
    ...(action === 'POST' || action === 'PUT' || action === 'DELETE' ? { action } : {}),
    ...(domain === undefined ? {} : { domain }),
    ...(typeof version === 'number' && Number.isSafeInteger(version) && version >= 0 ? { version } : {}),
  };
};

/** The notice for the adaptor. Its members come from the event of the adaptor and from the issue's public sentences. */
export const refusalNoticeOf = (
  issue: Pick<RaisedIssue, 'uuid' | 'cause' | 'title' | 'errors'>,
  origin: RefusedOrigin,
): Refusal => {
  const { position, key, drUuid, data } = origin;
  return {
    issueUuid: issue.uuid,
    ...position,
    ...(isJsonObject(data) ? namedBy(data) : {}),
    ...(drUuid !== undefined && isUuid(drUuid) ? { drUuid } : {}),
    ...keyOf(key?.drKey),
    code: issue.cause,
    message: issue.title,
    errors: issue.errors
      .slice(0, maxErrors)
      .map(({ pointer, code, detail }) => ({ pointer, code, message: detail.slice(0, 1_000) })),
  };
};
