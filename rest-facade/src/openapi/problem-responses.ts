import { headersObject, type AnswerHeader } from './answer-headers.js';
import type { JsonSchema } from './schema-registry.js';
import { refusals, type Refusal } from './refusals-of.js';

const causeSchema: JsonSchema = {
  type: 'object',
  properties: {
    pointer: { type: 'string', description: 'JSON pointer into the body, or the name of a parameter' },
    code: { type: 'string', description: 'Stable word' },
    detail: { type: 'string' },
  },
  required: ['pointer', 'code', 'detail'],
  additionalProperties: true,
};

/** Schema of every error answer. */
export const problemSchema: JsonSchema = {
  type: 'object',
  description: 'Problem details (RFC 9457)',
  properties: {
    type: { type: 'string', format: 'uri', description: "Address of the code's description" },
    title: { type: 'string', description: 'The same for all problems of a code' },
    status: { type: 'integer', format: 'int32', description: 'The HTTP status' },
    detail: { type: 'string', description: 'The fault of this request' },
    instance: { type: 'string', description: 'Path of the request' },
    code: { type: 'string', pattern: '^[A-Z][A-Z_]*[A-Z]$', description: 'Stable word; see /docs/errors' },
    requestId: { type: 'string', description: 'Give it to the operator' },
    errors: { type: 'array', description: 'Every cause, where there are several', items: causeSchema },
  },
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId'],
  // details that depend on the code, such as the position of a fault in a search expression
  additionalProperties: true,
};

const descriptions: Readonly<Record<Refusal, readonly [description: string, ...headers: AnswerHeader[]]>> = {
  400: ['The request is not valid; `errors` lists every cause'],
  401: ['A valid bearer token is required', { name: 'WWW-Authenticate' }],
  403: ['Not permitted, or denied by governance'],
  404: ['Does not exist, or the caller may not see it'],
  406: ['None of the accepted media types is offered'],
  409: ['In conflict with the current state', { name: 'Retry-After', sometimes: true }],
  412: ['The condition is not met'],
  413: ['The body exceeds the limit'],
  415: ['The media type or content coding is not supported', { name: 'Accept-Encoding' }],
  429: ['Too many requests', { name: 'Retry-After' }],
};

const problem = (description: string, headers: readonly AnswerHeader[]): JsonSchema => ({
  description,
  headers: headersObject(headers),
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});

/** The refusals of the document, to refer to; `Problem` covers the answers that any HTTP server may give. */
export const problemComponents = (): JsonSchema => ({
  ...Object.fromEntries(
    Object.entries(refusals).map(([status, name]) => {
      const [description, ...headers] = descriptions[Number(status) as Refusal];
      return [name, problem(description, headers)];
    }),
  ),
  Problem: problem('Another refusal (405, 408, 431), or a failure (500, 503)', [
    { name: 'Retry-After', sometimes: true },
  ]),
});
