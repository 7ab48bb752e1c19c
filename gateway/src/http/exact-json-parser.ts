import { isUtf8 } from 'node:buffer';
import { AppError } from '@fds/errors';
import { parseJson } from '@fds/json';
import { requireUtf8 } from '@fds/rest-facade';
import type { FastifyInstance } from 'fastify';

/**
 * Parses JSON bodies with exact integers; a body that is not JSON or not UTF-8 is MALFORMED_JSON. Other media types are
 * refused.
 */
export const useExactJson = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, ({ headers }, body, done) => {
    try {
      requireUtf8(headers['content-type'], 'a body');
    } catch (error) {
      done(error as AppError);
      return;
    }
    if (!isUtf8(body)) {
      done(new AppError('MALFORMED_JSON', 'the body is not UTF-8'));
      return;
    }
    try {
      done(null, parseJson(body.toString('utf8')));
    } catch (error) {
      done(new AppError('MALFORMED_JSON', error instanceof Error ? error.message : 'the body is not JSON'));
    }
  });
};
