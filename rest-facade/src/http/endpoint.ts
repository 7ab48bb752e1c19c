import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Principal } from '@fds/auth';
import type { JsonValue } from '@fds/json';
import type { RawQuery } from '../query/compile-query-reader.js';
import type { EndpointDeclaration } from '../route.js';

/** A request whose caller is authenticated and permitted. */
export interface EndpointRequest {
  readonly principal: Principal;
  readonly requestId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: RawQuery;
  readonly body: JsonValue | undefined;
  /** The unread body, if the endpoint accepts a file. */
  readonly stream?: Readable | undefined;
  /** The digest that distinguishes bodies with the same Idempotency-Key, if the body is not JSON. */
  readonly fingerprint?: string;
  /** Path and query string as sent. */
  readonly target: string;
  readonly authorization: string | undefined;
  /** Aborted when the caller disconnects before the answer. */
  readonly signal: AbortSignal;
  readonly headers: IncomingHttpHeaders;
  /** The offered media type that the caller accepts. */
  readonly mediaType: string;
}

export interface EndpointAnswer {
  readonly status: number;
  /** Headers in addition to the media type, such as `location` and `etag`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text of the answer; undefined when there is none. */
  readonly body?: string | undefined;
  /** Lines in place of a body. Each is sent at once. */
  readonly lines?: AsyncIterable<string> | undefined;
  /** Bytes in place of a body. They are read as fast as the caller takes them, and destroyed when it goes away. */
  readonly content?: Readable | undefined;
}

interface EndpointBase {
  readonly declaration: EndpointDeclaration;
  /** Media types of its answers. The first one is the default. */
  readonly offers: readonly [string, ...string[]];
}

/** Requires that the caller has the permission of its method and path. */
export interface PermittedEndpoint extends EndpointBase {
  readonly access: 'permitted';
  /** @throws AppError for every refusal */
  serve(request: EndpointRequest): Promise<EndpointAnswer> | EndpointAnswer;
}

/** Its body is a file, which is passed on unread. */
export interface FileEndpoint extends PermittedEndpoint {
  readonly takes: 'file';
}

/** Needs no token, and gives every caller the same answer. */
export interface OpenEndpoint extends EndpointBase {
  readonly access: 'open';
  serve(): EndpointAnswer;
  /**
   * Serves requests with a query string. These need a token. Without it, they are refused.
   *
   * @throws AppError for every refusal
   */
  readonly serveQuery?: (
    request: Pick<EndpointRequest, 'principal' | 'requestId' | 'authorization' | 'query'>,
  ) => Promise<EndpointAnswer>;
}

/** An endpoint that is ready to serve requests. */
export type Endpoint = PermittedEndpoint | FileEndpoint | OpenEndpoint;
