import { requestIdOf } from '@fds/service';
import type { FastifyInstance } from 'fastify';

const header = 'x-request-id';

/**
 * Gives every request of the instance an id (the caller's or a new one), and adds it to every answer. It may be added
 * twice.
 */
export const addRequestIds = (app: FastifyInstance): void => {
  app.addHook('onRequest', (request, reply, done) => {
    if (!reply.hasHeader(header)) {
      request.id = requestIdOf(request.headers);
      reply.header(header, request.id);
    }
    done();
  });
};
