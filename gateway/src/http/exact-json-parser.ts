import { isUtf8 } from 'node:buffer';
import { AppError } from '@fds/errors';
import { parseJsonInSteps } from '@fds/json';
import { requireUtf8 } from '@fds/rest-facade';
import { inTurns } from '@fds/service';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Parses JSON bodies with exact integers; a body that is not JSON or not UTF-8 is MALFORMED_JSON. Other media types are
 * refused.
 */
export const useExactJson = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers();
  const parse = async ({ headers }: FastifyRequest, body: Buffer) => {
    requireUtf8(headers['content-type'], 'a body');
    if (!isUtf8(body)) throw new AppError('MALFORMED_JSON', 'the body is not UTF-8');
    try {
      return await inTurns(parseJsonInSteps(body.toString('utf8')));
    } catch (error) {
      throw new AppError('MALFORMED_JSON', error instanceof Error ? error.message : 'the body is not JSON');
    }
  };
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parse);
};
