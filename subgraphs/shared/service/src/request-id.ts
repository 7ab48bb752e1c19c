import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const sane = /^[A-Za-z0-9-]{1,64}$/;

/** An id for a request without one. */
export const newRequestId = (): string => randomUUID();

/** Id of a request: the caller's `X-Request-Id` when it is a UUID or at most 64 letters, digits and dashes,
 * otherwise a new one. */
export const requestIdOf = (headers: IncomingHttpHeaders): string => {
  const given = headers['x-request-id'];
  return typeof given === 'string' && sane.test(given) ? given : newRequestId();
};
