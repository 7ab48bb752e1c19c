import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Principal } from '@fds/auth';
import type { JsonValue } from '@fds/json';
import type { RawQuery } from '../query/compile-query-reader.js';
import type { EndpointDeclaration } from '../route.js';

/** A request whose caller is known and permitted. */
export interface EndpointRequest {
  readonly principal: Principal;
  readonly requestId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: RawQuery;
  readonly body: JsonValue | undefined;
  /** The body unread, where the endpoint takes a file. */
  readonly stream?: Readable | undefined;
  /** The digest that distinguishes bodies for an Idempotency-Key, where it is not JSON. */
  readonly fingerprint?: string;
  /** Path and query string as sent. */
  readonly target: string;
  readonly authorization: string | undefined;
  /** Aborted when the caller goes away before the answer. */
  readonly signal: AbortSignal;
  readonly headers: IncomingHttpHeaders;
  /** The one of the offered media types that the caller takes. */
  readonly mediaType: string;
}

export interface EndpointAnswer {
  readonly status: number;
  /** Headers besides the media type, such as `location` and `etag`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text of the answer; undefined: none. */
  readonly body?: string | undefined;
  /** In place of a body: lines that are sent as they come. */
  readonly lines?: AsyncIterable<string> | undefined;
}

interface EndpointBase {
  readonly declaration: EndpointDeclaration;
  /** Media types of its answers, the usual one first. */
  readonly offers: readonly [string, ...string[]];
}

/** Served to callers who hold its method and path as a permission. */
export interface PermittedEndpoint extends EndpointBase {
  readonly access: 'permitted';
  /** @throws AppError for every refusal */
  serve(request: EndpointRequest): Promise<EndpointAnswer> | EndpointAnswer;
}

/** Its body is a file: it comes unread. */
export interface FileEndpoint extends PermittedEndpoint {
  readonly takes: 'file';
}

/** Served to everyone: the same answer for all, without a token. */
export interface OpenEndpoint extends EndpointBase {
  readonly access: 'open';
  serve(): EndpointAnswer;
  /**
   * Serves requests with a query string, which need a token. Default: they are refused.
   *
   * @throws AppError for every refusal
   */
  readonly serveQuery?: (
    request: Pick<EndpointRequest, 'principal' | 'requestId' | 'authorization' | 'query'>,
  ) => Promise<EndpointAnswer>;
}

/** An endpoint ready to be served. */
export type Endpoint = PermittedEndpoint | FileEndpoint | OpenEndpoint;
