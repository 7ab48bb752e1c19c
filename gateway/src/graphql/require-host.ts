import { AppError } from '@fds/errors';
import type { FastifyRequest } from 'fastify';

/**
 * Refuses a Host header that cannot be part of a URL (RFC 9112, section 3.2).
 *
 * @throws AppError MALFORMED_REQUEST
 */
export const requireHost = ({ hostname }: Pick<FastifyRequest, 'hostname'>): void => {
  if (!URL.canParse(`http://${hostname}/`)) {
    throw new AppError('MALFORMED_REQUEST', `the Host header names "${hostname}", which is not a host`);
  }
};
