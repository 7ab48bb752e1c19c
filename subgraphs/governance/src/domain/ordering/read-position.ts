import type { FaultList } from '@fds/errors';

/**
 * New position of an element of an ordered list: an entry of a chain, or a rule of a role. The result is meaningless
 * when there is a fault.
 */
export const readPosition = (
  position: number | null | undefined,
  current: number,
  length: number,
  faults: FaultList,
): number => {
  if (position === null || position === undefined) return current;
  if (position < 0 || position >= length) {
    faults.add('/position', 'OUT_OF_RANGE', `position must be from 0 to ${length - 1}`);
  }
  return position;
};
