import { errorCatalogue, isErrorCode } from '@fds/errors';
import type { GraphqlErrorAnswer } from '@fds/graphql';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '@fds/service';
import { answerErrors } from '../errors/answer-errors.js';
import type { AnswerType } from './plain-request.js';

const graphqlType = 'application/graphql-response+json';

/** Faults of the document or its variables: a client that only knows application/json gets them with 200 (GraphQL over HTTP, 6.4.1). */
const documentFaults = new Set<unknown>([
  'VALIDATION_FAILED',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'QUERY_TOO_COMPLEX',
  'INVALID_PARAMETER',
]);

/** Status of an operation that was refused before it ran, without data (GraphQL over HTTP, section 6.4). */
export const statusOfRefusal = (errors: readonly GraphqlErrorAnswer[], type: AnswerType): number => {
  const codes = errors.map(({ extensions }) => extensions?.code);
  const [code] = codes;
  if (type !== graphqlType && codes.every((each) => documentFaults.has(each))) return 200;
  return errorCatalogue[isErrorCode(code) ? code : 'INTERNAL'].status;
};

/** WWW-Authenticate of a refused bearer token (RFC 6750 section 3). */
const challenge = (reason: unknown): string => (reason === 'missing' ? 'Bearer' : 'Bearer error="invalid_token"');

/**
 * Answers a request that is refused before it becomes an operation: a GraphQL answer without data (GraphQL over HTTP,
 * section 6.4), with the status of the error's code.
 */
export const refuseRequest = async (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): Promise<FastifyReply> => {
  const [answer] = answerErrors([error], { requestId: request.id, log });
  const type = request.headers.accept?.includes(graphqlType) === true ? graphqlType : 'application/json';
  const status = statusOfRefusal(answer === undefined ? [] : [answer], type);
  if (status === 401) void reply.header('www-authenticate', challenge(answer?.extensions?.reason));
  if (status === 429 || status === 503) void reply.header('retry-after', '1');
  return reply
    .code(status)
    .type(`${type}; charset=utf-8`)
    .send(JSON.stringify({ errors: [answer] }));
};
