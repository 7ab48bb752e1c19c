import { AppError } from '@fds/errors';
import type { AllowedVersions } from './read-preconditions.js';

/** Number of attempts: other callers may change the resource between two of them. */
const maxAttempts = 8;

/** No resource has this version. The refusal of a request with it contains the current version. */
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
 * Changes a resource from one of the versions that `If-Match` allows. The change itself compares the version with the
 * stored one in its transaction. If the stored version is another allowed one, the change is repeated from that.
 *
 * @throws AppError PRECONDITION_FAILED with `currentChangeVersion`, and the errors of the change
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
