import { AppError } from '@fds/errors';

/** @throws AppError STALE_CHANGE_VERSION with the current value under `currentChangeVersion` */
export const staleChangeVersion = (current: number): AppError<'STALE_CHANGE_VERSION'> =>
  new AppError('STALE_CHANGE_VERSION', `the resource is at changeVersion ${current}`, {
    details: { currentChangeVersion: current },
  });

/**
 * Holds the caller's changeVersion against the stored one (decisions, section 2).
 *
 * @throws AppError CHANGE_VERSION_REQUIRED, STALE_CHANGE_VERSION
 */
export const requireChangeVersion = (given: number | bigint | null | undefined, current: number): void => {
  if (given === null || given === undefined) {
    throw new AppError('CHANGE_VERSION_REQUIRED', 'changeVersion is required', {
      errors: [{ pointer: '/changeVersion', code: 'CHANGE_VERSION_REQUIRED', detail: 'send the value you have read' }],
    });
  }
  if (BigInt(given) !== BigInt(current)) throw staleChangeVersion(current);
};
