import { AppError } from '@fds/errors';
import { requestIdOf } from '@fds/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerProblem } from './answer-problem.js';

/** No path of the API has a segment of that length. */
const isTooLong = (cause: Error): boolean => 'code' in cause && cause.code === 'FST_ERR_MAX_PARAM_LENGTH';

const toError = (cause: Error): AppError =>
  isTooLong(cause)
    ? new AppError('NOT_FOUND', 'there is nothing at this address', { cause })
    : new AppError('INVALID_PARAMETER', 'the address of the request is not valid', { cause });

/**
 * Answers requests that the HTTP server refuses before it finds a route, such as a path that is not percent-encoded
 * UTF-8. Use it as the option `frameworkErrors` of the server.
 *
 * @param baseUrl address that clients see
 */
export const createFrameworkErrors =
  (baseUrl: string) =>
  (cause: Error, request: FastifyRequest, reply: FastifyReply): void => {
    const requestId = requestIdOf(request.headers);
    request.id = requestId;
    void answerProblem(toError(cause), request, reply, `${baseUrl}/docs/errors`);
  };
