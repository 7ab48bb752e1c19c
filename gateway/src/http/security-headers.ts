import type { FastifyInstance } from 'fastify';

/** Every answer says that its type is not to be guessed; with an https address, that browsers keep to https. */
export const addSecurityHeaders = (app: FastifyInstance, baseUrl: string): void => {
  const isSecure = baseUrl.startsWith('https:');
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff');
    if (isSecure) reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains');
    done();
  });
};
