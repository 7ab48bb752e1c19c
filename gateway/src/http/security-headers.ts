import type { FastifyInstance } from 'fastify';

/** Every answer tells browsers not to guess its type and, with an https address, to use https only. */
export const addSecurityHeaders = (app: FastifyInstance, baseUrl: string): void => {
  const isSecure = baseUrl.startsWith('https:');
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff');
    if (isSecure) reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains');
    done();
  });
};
