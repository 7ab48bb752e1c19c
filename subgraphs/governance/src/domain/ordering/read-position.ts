import type { FaultList } from '@fds/resource-rules';

/** Where one of an ordered list is to be moved: an entry of a chain, a rule of a role. With a fault the result has no meaning. */
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
