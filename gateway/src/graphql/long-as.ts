import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';

/** Header of a request, and in small letters what caches go by. */
export const longAsHeader = 'x-long-as';

/**
 * Reads how a client wants `Long` values: `text`, or `number`, which is the default.
 *
 * @param place name of the header or member, for the error
 * @throws AppError INVALID_PARAMETER
 */
export const readLongAs = (given: unknown, place: string): RequestContext['longAs'] => {
  if (given === undefined || given === null || given === 'number') return undefined;
  if (given === 'text') return 'text';
  throw new AppError('INVALID_PARAMETER', `${place} is not valid`, {
    errors: [{ pointer: place, code: 'INVALID_VALUE', detail: `${place} must be text or number` }],
  });
};
