import { AppError, type ErrorCause, type FaultList } from '@fds/errors';

/** Position of new entries. Without either member they go to the front. */
export interface Placement {
  readonly append?: boolean | null;
  readonly position?: number | null;
}

/** The position of the first new entry. Entries at or after this position move back. */
export const frontOf = ({ append, position }: Placement, length: number): number =>
  position ?? (append === true ? length : 0);

/** Faults of the parameters of a placement. */
const placementFaults = ({ append, position }: Placement, length: number): ErrorCause[] => {
  const pointer = 'position';
  if (position === null || position === undefined) return [];
  if (append === true) return [{ pointer, code: 'CONTRADICTION', detail: 'append and position exclude each other' }];
  if (position >= 0 && position <= length) return [];
  return [{ pointer, code: 'OUT_OF_RANGE', detail: `position must be from 0 to ${length}` }];
};

/**
 * Refuses a creation because of its placement. If the input has other faults, its causes are added to these.
 *
 * @throws AppError INVALID_PARAMETER
 */
export const requirePlacement = (placement: Placement, length: number, faults: FaultList): void => {
  const errors = placementFaults(placement, length);
  if (errors.length > 0 && faults.isEmpty) {
    throw new AppError('INVALID_PARAMETER', errors.map(({ detail }) => detail).join('; '), { errors });
  }
  for (const { pointer, code, detail } of errors) faults.add(pointer, code, detail);
};
