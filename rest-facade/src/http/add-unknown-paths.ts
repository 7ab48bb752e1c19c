import { AppError } from '@fds/errors';
import type { Log } from '@fds/service';
import type { FastifyInstance } from 'fastify';
import { addRequestIds } from './add-request-ids.js';
import { answerProblem } from './answer-problem.js';
import { toAppError } from '../problem/to-app-error.js';
import { pathOf } from './fill-path.js';

/**
 * Answers unknown paths of the server, and errors of routes that answer none themselves, such as pages and metrics. Every
 * answer of the server carries a request id.
 *
 * @param baseUrl address that clients see
 */
export const addUnknownPaths = (app: FastifyInstance, baseUrl: string, log: Pick<Log, 'error'>): void => {
  addRequestIds(app);
  app.setErrorHandler((thrown, request, reply) => {
    const error = toAppError(thrown);
    if (error.definition.status >= 500) {
      log.error({ requestId: request.id, code: error.code, err: error.cause ?? error }, 'request failed');
    }
    return answerProblem(error, request, reply, `${baseUrl}/docs/errors`);
  });
  app.setNotFoundHandler((request, reply) => {
    const error = new AppError('NOT_FOUND', `there is nothing at ${pathOf(request.url)}`);
    return answerProblem(error, request, reply, `${baseUrl}/docs/errors`);
  });
};
