import { AppError } from '@fds/errors';
import type { AllowedVersions } from './read-preconditions.js';

/** Others may change the resource in between as often as this before we give up. */
const maxAttempts = 8;

/** No resource has it: a request with it gets the present version. */
const unknownVersion = 0n;

const currentOf = ({ details }: AppError): bigint | undefined => {
  const current = details['currentChangeVersion'];
  return typeof current === 'number' || typeof current === 'bigint' ? BigInt(current) : undefined;
};

const preconditionFailed = (current: bigint | undefined): AppError =>
  new AppError(
    'PRECONDITION_FAILED',
    current === undefined ? 'If-Match does not hold' : `the resource is at changeVersion ${current}`,
    { details: current === undefined ? {} : { currentChangeVersion: current } },
  );

/**
 * Changes a resource from one of the versions that `If-Match` allows. The change itself holds the version against the
 * stored one in its transaction; when another one is allowed and is the present one, it is made from that.
 *
 * @throws AppError PRECONDITION_FAILED with `currentChangeVersion`; whatever the change throws
 */
export const changeFromVersion = async <T>(
  allowed: AllowedVersions,
  change: (changeVersion: bigint) => Promise<T>,
): Promise<T> => {
  let from = allowed === '*' ? unknownVersion : (allowed[0] ?? unknownVersion);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await change(from);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'STALE_CHANGE_VERSION') throw error;
      const current = currentOf(error);
      const isAllowed = current !== undefined && (allowed === '*' || allowed.includes(current));
      if (!isAllowed || current === from || attempt === maxAttempts) throw preconditionFailed(current);
      from = current;
    }
  }
};
