import { AppError } from './app-error.js';
import type { FaultList } from './fault-list.js';

/** @throws AppError STALE_CHANGE_VERSION with the current value under `currentChangeVersion` */
export const staleChangeVersion = (current: number): AppError<'STALE_CHANGE_VERSION'> =>
  new AppError('STALE_CHANGE_VERSION', `the resource is at changeVersion ${current}`, {
    details: { currentChangeVersion: current },
  });

/** The version as a caller may give it. */
export type GivenChangeVersion = number | bigint | null | undefined;

/**
 * Holds the caller's changeVersion against the stored one (docs/reference/rest-conventions.md#concurrency).
 *
 * @param faults receives CHANGE_VERSION_REQUIRED when none is given
 * @throws AppError STALE_CHANGE_VERSION
 */
export const checkChangeVersion = (given: GivenChangeVersion, current: number, faults: FaultList): void => {
  if (given === null || given === undefined) {
    faults.add('/changeVersion', 'CHANGE_VERSION_REQUIRED', 'send the value you have read');
  } else if (BigInt(given) !== BigInt(current)) throw staleChangeVersion(current);
};

/**
 * A changeVersion that may be left out, such as that of a deletion.
 *
 * @throws AppError STALE_CHANGE_VERSION
 */
export const requireNotStale = (given: GivenChangeVersion, current: number): void => {
  if (given !== null && given !== undefined && BigInt(given) !== BigInt(current)) throw staleChangeVersion(current);
};
