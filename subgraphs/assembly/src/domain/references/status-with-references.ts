import type { AssembledStatus } from '@fds/assembly-contract';

/** The status of a record together with its nested records: it is complete only if all of them are. */
export const statusWithReferences = (own: AssembledStatus, isEveryNestedComplete: boolean): AssembledStatus =>
  own === 'PREFERRED_COMPLETE' && !isEveryNestedComplete ? 'PREFERRED_PARTIAL' : own;
