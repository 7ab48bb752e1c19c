/** The catalogue's entry for one error code. */
export interface ErrorDefinition {
  /** HTTP status of the answer. */
  readonly status: number;
  /** May the same request succeed later without being changed? */
  readonly retryable: boolean;
  /** Short public sentence; never holds data. */
  readonly title: string;
  /** Advice for the operator or caller. */
  readonly advice: string;
}

const define = (status: number, title: string, advice: string, retryable = false): ErrorDefinition => ({
  status,
  title,
  advice,
  retryable,
});

/**
 * Every error that leaves the service, by its stable word code (docs/reference/rest-conventions.md#errors).
 * The page of error codes is generated from this table.
 */
export const errorCatalogue = {
  MALFORMED_REQUEST: define(400, 'The request is not HTTP', 'Use an HTTP client; check the proxies in between.'),
  MALFORMED_JSON: define(400, 'The body is not JSON', 'Send UTF-8 JSON; the detail names the position.'),
  MALFORMED_CSV: define(400, 'The file is not CSV', 'Send UTF-8 CSV as RFC 4180 has it; the detail names the row.'),
  VALIDATION_FAILED: define(400, 'The request is not valid', 'Correct every cause listed under `errors`.'),
  INVALID_PARAMETER: define(400, 'A parameter is not valid', 'Correct the parameters listed under `errors`.'),
  UNKNOWN_CURSOR: define(
    400,
    'The cursor is not known, or too old',
    'Read the resources again, and begin without `after`.',
  ),
  INVALID_MODEL_SCHEMA: define(400, 'The model schema is not valid', 'Correct every place listed under `errors`.'),
  INVALID_QUERY: define(400, 'The search expression is not valid', 'Look at `position`, counted from 0.'),
  VALUE_NOT_IN_ENUM: define(
    409,
    'A value is not among those that the model lists',
    'Read the value by REST, then change the record at its source, or the list in the model.',
  ),
  CHANGE_VERSION_REQUIRED: define(400, 'changeVersion is required', 'Read the resource and send its changeVersion.'),
  UNKNOWN_REFERENCE: define(400, 'The body refers to something unknown', 'Correct the uuids listed under `errors`.'),
  AMBIGUOUS_REFERENCE: define(
    400,
    'A reference fits several records',
    'Name more properties of the DR Key at the places listed under `errors`.',
  ),
  FEDERATED_RECORD: define(
    400,
    'The data of a federated record is not kept here',
    'Change the data at the sources; the server keeps the DR Key and the links.',
  ),
  GRAPHQL_PARSE_FAILED: define(400, 'The GraphQL document cannot be parsed', 'Correct the document.'),
  GRAPHQL_VALIDATION_FAILED: define(
    400,
    'The GraphQL document does not fit the schema',
    'Compare with /api/graphql-schema.',
  ),
  QUERY_TOO_COMPLEX: define(
    400,
    'The query asks for too much at once',
    'Ask for less at once, or raise the limit (settings).',
  ),
  UNAUTHENTICATED: define(401, 'A valid bearer token is required', 'Get a token from /oauth2/token.'),
  FORBIDDEN: define(403, 'Not permitted', 'Ask the zone administrator for the permission named in the detail.'),
  GOVERNANCE_DENIED: define(403, 'Governance denies it', 'See the ACL chains of the zones involved.'),
  NOT_FOUND: define(404, 'Not found', 'It does not exist, or you may not see it.'),
  METHOD_NOT_ALLOWED: define(405, 'The path does not have this method', 'See the Allow header.'),
  NOT_ACCEPTABLE: define(406, 'None of the accepted media types is offered', 'Accept application/json.'),
  REQUEST_TIMEOUT: define(408, 'The request did not end in time', 'Send it faster, or in parts.', true),
  QUERY_TIMEOUT: define(
    408,
    'The search took too long',
    'Search for less: fewer terms, wildcards that do not lead, or raise the limit (settings).',
  ),
  STALE_CHANGE_VERSION: define(409, 'The resource has changed since', 'Read it again and repeat the change.'),
  DUPLICATE_NAME: define(409, 'The name is taken', 'Choose another name.'),
  DUPLICATE_DR_KEY: define(409, 'A record with this DR Key exists', 'Use the record named in the answer.'),
  RECONCILIATION_RUNNING: define(
    409,
    'A reconciliation of the adaptor and the domain version runs',
    'Wait for its end, or cancel it.',
    true,
  ),
  DISCOVERY_MODE: define(
    409,
    'The adaptor is in discovery mode',
    'Run a preview, or switch discovery mode off: PATCH {"discoveryMode": false}.',
  ),
  DOMAIN_INACTIVE: define(409, 'The domain or version is not active', 'Activate it: PATCH {"active": true}.'),
  CONFLICT: define(409, 'In conflict with the current state', 'The detail gives the reason.'),
  IN_USE: define(409, 'It is in use', 'First remove the resources that use it; the detail counts them.'),
  WRONG_SHUTDOWN_CODE: define(
    409,
    'The shutdown code is wrong, used or too old',
    'Get another from shutdown-code and use it within ten minutes.',
  ),
  PLAN_OUTDATED: define(
    409,
    'The plan is outdated',
    'Plan the documents again: something that the plan rests on has changed.',
  ),
  PLAN_APPLIED: define(409, 'The plan was applied already', 'Plan the documents again.'),
  IDEMPOTENCY_KEY_REUSED: define(409, 'The Idempotency-Key was used with another body', 'Use a new key.'),
  IDEMPOTENCY_IN_PROGRESS: define(
    409,
    'The first request with the Idempotency-Key is not answered yet',
    'Send the same again after as long as Retry-After says.',
    true,
  ),
  IDEMPOTENCY_OUTCOME_UNKNOWN: define(
    409,
    'An earlier request with the Idempotency-Key ended without an answer',
    'Check whether it was done: `changes` lists what you have changed since. Repeat it with a new key if not.',
  ),
  PRECONDITION_FAILED: define(412, 'If-Match names a stale version', 'Read it again and repeat the change.'),
  PAYLOAD_TOO_LARGE: define(413, 'The body is over the limit', 'Send less at once, or raise the limit (settings).'),
  UNSUPPORTED_MEDIA_TYPE: define(415, 'The media type is not supported', 'Send application/json.'),
  HEADERS_TOO_LARGE: define(431, 'Address and headers are too long', 'They may have 16 KiB together.'),
  RATE_LIMITED: define(429, 'Too many requests', 'Wait as long as Retry-After says.', true),
  INTERNAL: define(500, 'The service failed', 'Look for the requestId in the log of the server.', true),
  UNAVAILABLE: define(503, 'The service is not ready', 'A database, bus or part is not reachable; see /health.', true),
} as const satisfies Record<string, ErrorDefinition>;

/** Stable word code of an error. */
export type ErrorCode = keyof typeof errorCatalogue;

/** The codes as a list, for tables and tests. */
export const errorCodes = Object.keys(errorCatalogue) as ErrorCode[];

/** Is the text one of the catalogue's codes? */
export const isErrorCode = (text: unknown): text is ErrorCode =>
  typeof text === 'string' && Object.hasOwn(errorCatalogue, text);
