import type { AppError } from '@fds/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemType, renderProblem } from '../problem/problem.js';
import { pathOf } from './fill-path.js';

/** Answers a request with an error. @param errorsPage address of the page of error codes */
export const answerProblem = (
  error: AppError,
  { url, id: requestId }: FastifyRequest,
  reply: FastifyReply,
  errorsPage: string,
): FastifyReply => {
  const { status, headers, body } = renderProblem(error, { errorsPage, instance: pathOf(url), requestId });
  return reply.code(status).headers(headers).header('x-request-id', requestId).type(problemType).send(body);
};
