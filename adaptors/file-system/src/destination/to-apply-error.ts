import { ApplyError } from '@fds/adaptor-sdk';
import { StorageFault, type StorageFaultKind } from '../storage/storage-fault.js';

const meanings: Readonly<Record<StorageFaultKind, Pick<ApplyError, 'kind' | 'retry'>>> = {
  AWAY: { kind: 'SOURCE', retry: 'UNTIL_IT_WORKS' },
  GONE: { kind: 'DATA', retry: 'A_FEW_TIMES' },
  CHANGED: { kind: 'DATA', retry: 'A_FEW_TIMES' },
  DENIED: { kind: 'SOURCE', retry: 'A_FEW_TIMES' },
  UNFIT: { kind: 'DATA', retry: 'NEVER' },
};

/** Converts a failure of a storage into the error of the event. */
export const toApplyError = (error: unknown): ApplyError => {
  if (error instanceof ApplyError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof StorageFault) return new ApplyError(message, { ...meanings[error.kind], cause: error });
  return new ApplyError(message, { kind: 'SOURCE', retry: 'A_FEW_TIMES', cause: error });
};
