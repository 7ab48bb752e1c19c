import { AppError } from '@fds/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemType, renderProblem } from '../problem/problem.js';
import { requestIdOf } from './request-id.js';

/**
 * Answers what the HTTP server refuses before it has found a route, such as a path that is not percent-encoded UTF-8.
 * For the option `frameworkErrors` of the server.
 *
 * @param baseUrl address that clients see
 */
export const createFrameworkErrors =
  (baseUrl: string) =>
  (cause: Error, request: FastifyRequest, reply: FastifyReply): void => {
    const requestId = requestIdOf(request.headers);
    const error = new AppError('INVALID_PARAMETER', 'the address of the request is not valid', { cause });
    const place = { errorsPage: `${baseUrl}/docs/errors`, instance: request.url, requestId };
    const { status, body } = renderProblem(error, place);
    void reply.code(status).header('x-request-id', requestId).type(problemType).send(body);
  };
