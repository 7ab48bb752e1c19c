import { errorCatalogue, isErrorCode } from '@fds/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '@fds/service';
import { answerErrors } from '../errors/answer-errors.js';

const graphqlType = 'application/graphql-response+json';

/** Faults of the document: a client that only knows application/json gets them with 200 (GraphQL over HTTP, 6.4.1). */
const documentFaults = new Set<unknown>([
  'VALIDATION_FAILED',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'QUERY_TOO_COMPLEX',
]);

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
  const code = answer?.extensions?.code;
  const { status } = errorCatalogue[isErrorCode(code) ? code : 'INTERNAL'];
  if (status === 401) void reply.header('www-authenticate', challenge(answer?.extensions?.reason));
  if (status === 503) void reply.header('retry-after', '1');
  const type = request.headers.accept?.includes(graphqlType) === true ? graphqlType : 'application/json';
  const isTolerant = type !== graphqlType && documentFaults.has(code);
  return reply
    .code(isTolerant ? 200 : status)
    .type(`${type}; charset=utf-8`)
    .send(JSON.stringify({ errors: [answer] }));
};
