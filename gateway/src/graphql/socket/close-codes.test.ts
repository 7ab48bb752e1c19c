import { describe, expect, it } from '@jest/globals';
import { AppError } from '@fds/errors';
import { closeCodeOf, refusalOf } from './close-codes.js';

describe('the close frame of a socket whose caller may not enter', () => {
  it.each([
    [new AppError('UNAUTHENTICATED', 'the token has ended'), 4401, 'Unauthorized: the token has ended'],
    [new AppError('FORBIDDEN', 'the user is inactive'), 4403, 'Forbidden: the user is inactive'],
    [new AppError('INVALID_PARAMETER', 'longAs is unknown'), 4400, 'Bad request: longAs is unknown'],
    [new AppError('UNAVAILABLE', 'the provider is away'), 1013, 'Unavailable: the provider is away'],
  ])('says the cause of %s', (error, code, reason) => {
    expect([closeCodeOf(error), refusalOf(code, error)]).toEqual([code, reason]);
  });

  it('does not show the text of an error of the service itself', () => {
    const error = new Error('password of the database');
    expect([closeCodeOf(error), refusalOf(4500, error)]).toEqual([4500, 'Internal server error']);
  });
});
