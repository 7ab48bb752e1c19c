import type { JsonSchema } from './schema-registry.js';

interface HeaderDefinition {
  readonly description: string;
  /** Does every answer that can have this header have it? */
  readonly required: boolean;
}

const define = (description: string, required: boolean): HeaderDefinition => ({ description, required });

/** Headers of answers that clients use. */
const definitions = {
  'X-Request-Id': define('Id of the request, the one sent or a new one', true),
  RateLimit: define(
    'The remaining quota and the time until it is renewed; absent when requests are not counted',
    false,
  ),
  'RateLimit-Policy': define('The quota and its window in seconds; absent when requests are not counted', false),
  ETag: define('Entity tag; begins with the changeVersion where there is one', true),
  Location: define('Address of the created resource, or of the next step', true),
  'Set-Cookie': define('Binds a sign-in to its browser, or removes that binding', false),
  'Idempotency-Replayed': define('`true`: the answer to an earlier request with the Idempotency-Key', false),
  'WWW-Authenticate': define('How to authenticate (RFC 6750)', true),
  'Retry-After': define('Seconds to wait before the next attempt', true),
  'Accept-Encoding': define(
    'Content codings that the server accepts, when it refused the coding of the request',
    false,
  ),
} as const satisfies Readonly<Record<string, HeaderDefinition>>;

/** Name of a header of an answer. */
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

/** The headers that the document refers to. */
export const headerComponents = (): JsonSchema =>
  Object.fromEntries((Object.keys(definitions) as HeaderName[]).map((name) => [name, headerObject(name)]));

const everywhere: readonly AnswerHeader[] = [
  { name: 'X-Request-Id' },
  { name: 'RateLimit' },
  { name: 'RateLimit-Policy' },
];

/** The headers of an answer: the given ones, and those of every answer. */
export const headersObject = (headers: readonly AnswerHeader[]): JsonSchema =>
  Object.fromEntries(
    [...everywhere, ...headers].map(({ name, sometimes }) => [
      name,
      sometimes === true ? { ...headerObject(name), required: false } : { $ref: `#/components/headers/${name}` },
    ]),
  );
