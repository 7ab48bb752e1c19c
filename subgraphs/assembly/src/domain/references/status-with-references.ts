import type { AssembledStatus } from '@fds/assembly-contract';

/** How complete a record is with the records that are nested in it: it is not complete while one of them is not. */
export const statusWithReferences = (own: AssembledStatus, isEveryNestedComplete: boolean): AssembledStatus =>
  own === 'PREFERRED_COMPLETE' && !isEveryNestedComplete ? 'PREFERRED_PARTIAL' : own;
