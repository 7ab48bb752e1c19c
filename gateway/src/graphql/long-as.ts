import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';

/** Header of a request. In lower case, it is also the name in `Vary`. */
export const longAsHeader = 'x-long-as';

/**
 * Reads the form that a client requests for `Long` values: `text`, or `number`, which is the default.
 *
 * @param place name of the header or member, used in the error
 * @throws AppError INVALID_PARAMETER
 */
export const readLongAs = (given: unknown, place: string): RequestContext['longAs'] => {
  if (given === undefined || given === null || given === 'number') return undefined;
  if (given === 'text') return 'text';
  throw new AppError('INVALID_PARAMETER', `${place} is not valid`, {
    errors: [{ pointer: place, code: 'INVALID_VALUE', detail: `${place} must be text or number` }],
  });
};
