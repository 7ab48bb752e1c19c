import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const sane = /^[\w.:-]{1,128}$/;

/** An id for a request without one. */
export const newRequestId = (): string => randomUUID();

/** Id of a request: the caller's `X-Request-Id` when it is 1 to 128 plain characters, otherwise a new one. */
export const requestIdOf = (headers: IncomingHttpHeaders): string => {
  const given = headers['x-request-id'];
  return typeof given === 'string' && sane.test(given) ? given : newRequestId();
};
