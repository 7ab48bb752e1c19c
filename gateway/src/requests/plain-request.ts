import { isJsonObject, parseJson, type JsonObject } from '@fds/json';
import type { FastifyRequest } from 'fastify';

/** Media types that an answer may have (GraphQL over HTTP, section 4). */
export type AnswerType = 'application/json' | 'application/graphql-response+json';

/** A well-formed GraphQL request. */
export interface PlainRequest {
  readonly query: string;
  readonly variables: JsonObject;
  readonly operationName: string | undefined;
  readonly answerType: AnswerType;
}

/** The answer type for values of the Accept header that need no negotiation. */
const answerTypes = new Map<string | undefined, AnswerType>([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
]);

/** `null` counts as absent (GraphQL over HTTP, section 5.1). */
const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

const readVariables = (given: unknown): JsonObject | undefined => {
  if (isAbsent(given)) return {};
  return isJsonObject(given) ? given : undefined;
};

const parseVariables = (text: unknown): JsonObject | undefined => {
  if (typeof text !== 'string') return readVariables(text);
  try {
    return readVariables(parseJson(text));
  } catch {
    return undefined;
  }
};

/** Reads a request of the usual form. Undefined for any other request, valid or not. Apollo Server handles those. */
export const readPlainRequest = ({
  method,
  headers,
  body,
  query: search,
}: FastifyRequest): PlainRequest | undefined => {
  const answerType = answerTypes.get(headers.accept);
  const isGet = method === 'GET';
  const holder = isGet ? search : body;
  if (answerType === undefined || !isJsonObject(holder) || (isGet && 'content-type' in headers)) return undefined;
  const { query, operationName, extensions } = holder;
  const variables = isGet ? parseVariables(holder.variables) : readVariables(holder.variables);
  if (typeof query !== 'string' || query === '' || variables === undefined || !isAbsent(extensions)) return undefined;
  if (isAbsent(operationName)) return { query, variables, operationName: undefined, answerType };
  return typeof operationName === 'string' ? { query, variables, operationName, answerType } : undefined;
};
