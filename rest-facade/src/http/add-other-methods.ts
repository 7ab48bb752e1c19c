import { AppError } from '@fds/errors';
import type { FastifyInstance, HTTPMethods } from 'fastify';

const methods: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** OPTIONS lists the methods of a path. Other methods are refused with the same list. */
export const addOtherMethods = (api: FastifyInstance, url: string, present: readonly HTTPMethods[]): void => {
  const allow = methods
    .filter((method) => method === 'OPTIONS' || present.includes(method === 'HEAD' ? 'GET' : method))
    .join(', ');
  const absent = methods.filter((method) => !allow.split(', ').includes(method));
  api.options(url, async (_request, reply) => reply.code(204).header('allow', allow).send());
  api.route({
    url,
    method: absent,
    // refuse before the body is read, since its content does not matter
    onRequest: async ({ method }) => {
      throw new AppError('METHOD_NOT_ALLOWED', `${method} is not one of ${allow}`, { details: { allow } });
    },
    handler: () => undefined,
  });
};
