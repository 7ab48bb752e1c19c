import { isJsonObject } from '@fds/json';
import type { FastifyRequest } from 'fastify';

const name = 'operationName';

/**
 * Removes an empty `operationName` from a request before Apollo Server reads it. Clients send it for "no name", and the
 * executor reads it so; Apollo Server would look for an operation with the empty name and fail.
 */
export const dropEmptyOperationName = (request: FastifyRequest): void => {
  if (request.method === 'GET') {
    const url = new URL(request.url, 'http://localhost');
    if (url.searchParams.get(name) !== '') return;
    url.searchParams.delete(name);
    request.raw.url = `${url.pathname}${url.search}`;
    return;
  }
  const { body } = request;
  if (!isJsonObject(body) || body[name] !== '') return;
  const { [name]: _empty, ...rest } = body;
  request.body = rest;
};
