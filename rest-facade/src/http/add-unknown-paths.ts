import { AppError } from '@fds/errors';
import type { FastifyInstance } from 'fastify';
import { addRequestIds } from './add-request-ids.js';
import { answerProblem } from './answer-problem.js';
import { pathOf } from './fill-path.js';

/**
 * Answers unknown paths of the server. Every answer of the server carries a request id.
 *
 * @param baseUrl address that clients see
 */
export const addUnknownPaths = (app: FastifyInstance, baseUrl: string): void => {
  addRequestIds(app);
  app.setNotFoundHandler((request, reply) => {
    const error = new AppError('NOT_FOUND', `there is nothing at ${pathOf(request.url)}`);
    return answerProblem(error, request, reply, `${baseUrl}/docs/errors`);
  });
};
