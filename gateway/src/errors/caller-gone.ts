import { AppError } from '@fds/errors';

/** Why work is given up whose caller has closed the connection. Nobody reads it, and nothing is wrong with the service. */
export const callerGone = new AppError('UNAVAILABLE', 'the caller has gone');
