import type { JsonSchema } from './schema-registry.js';

interface HeaderDefinition {
  readonly description: string;
  /** Has every answer that may have it this header? */
  readonly required: boolean;
}

const define = (description: string, required: boolean): HeaderDefinition => ({ description, required });

/** Headers of answers that make a difference to a client. */
const definitions = {
  'X-Request-Id': define('Id of the request, the one sent or a new one', true),
  RateLimit: define('The rest of the quota and when it is filled up; absent where requests are not counted', false),
  'RateLimit-Policy': define('The quota and its window in seconds; absent where nothing is counted', false),
  ETag: define('Entity tag; begins with the changeVersion where there is one', true),
  Location: define('Address of the created resource, or of the next step', true),
  'Set-Cookie': define('Ties a sign-in to its browser, or ends that', false),
  'Idempotency-Replayed': define('`true`: the answer to an earlier request with the Idempotency-Key', false),
  'WWW-Authenticate': define('How to authenticate (RFC 6750)', true),
  'Retry-After': define('Seconds to wait before the next attempt', true),
  'Accept-Encoding': define('Content codings the server can unpack, where it is the coding that was refused', false),
} as const satisfies Readonly<Record<string, HeaderDefinition>>;

/** Name of a header of answers. */
export type HeaderName = keyof typeof definitions;

/** A header of an answer; `sometimes` only on some answers of the status. */
export interface AnswerHeader {
  readonly name: HeaderName;
  readonly sometimes?: true;
}

const headerObject = (name: HeaderName): JsonSchema => {
  const { description, required } = definitions[name];
  return { description, ...(required ? { required } : {}), schema: { type: 'string' } };
};

/** The headers of the document, to refer to. */
export const headerComponents = (): JsonSchema =>
  Object.fromEntries((Object.keys(definitions) as HeaderName[]).map((name) => [name, headerObject(name)]));

const everywhere: readonly AnswerHeader[] = [
  { name: 'X-Request-Id' },
  { name: 'RateLimit' },
  { name: 'RateLimit-Policy' },
];

/** The headers object of an answer: those given, and those of every answer. */
export const headersObject = (headers: readonly AnswerHeader[]): JsonSchema =>
  Object.fromEntries(
    [...everywhere, ...headers].map(({ name, sometimes }) => [
      name,
      sometimes === true ? { ...headerObject(name), required: false } : { $ref: `#/components/headers/${name}` },
    ]),
  );
