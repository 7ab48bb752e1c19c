import { AppError } from '@fds/errors';
import { parseJson } from '@fds/json';
import type { FastifyInstance } from 'fastify';

/** Takes JSON bodies with integers exact; a body that is no JSON is MALFORMED_JSON. Other media types are refused. */
export const useExactJson = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, parseJson(body));
    } catch (error) {
      done(new AppError('MALFORMED_JSON', error instanceof Error ? error.message : 'the body is not JSON'));
    }
  });
};
