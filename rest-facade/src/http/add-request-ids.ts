import { requestIdOf } from '@fds/service';
import type { FastifyInstance } from 'fastify';

const header = 'x-request-id';

/** Every request of the instance has an id of ours or the caller's, and every answer carries it. May be added twice. */
export const addRequestIds = (app: FastifyInstance): void => {
  app.addHook('onRequest', (request, reply, done) => {
    if (!reply.hasHeader(header)) {
      request.id = requestIdOf(request.headers);
      reply.header(header, request.id);
    }
    done();
  });
};
