import type { Log } from './log.js';

/** The members of the line about a request. */
export interface NotedRequest {
  readonly requestId: string;
  readonly method: string;
  /** The path with its placeholders; undefined: there is no such path. */
  readonly route: string | undefined;
  readonly status: number;
  readonly ms: number;
  /** The person or application that asks. Undefined: the request was refused before it was known. */
  readonly actor?: string | undefined;
  /** `operationId` of the OpenAPI document, or the type of a GraphQL operation. */
  readonly operation?: string | undefined;
  /** The trace that the request is part of. */
  readonly traceId?: string | undefined;
}

/** Writes the line of the log that every request has. A log whose `successLevel` is `debug` shows refusals and failures only. */
export const noteRequest = (log: Log, request: NotedRequest & Readonly<Record<string, unknown>>): void =>
  log[request.status < 400 ? (log.successLevel ?? 'info') : 'info'](request, 'request');
