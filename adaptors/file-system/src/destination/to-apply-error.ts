import { ApplyError } from '@fds/adaptor-sdk';
import { StorageFault, type StorageFaultKind } from '../storage/storage-fault.js';

const meanings: Readonly<Record<StorageFaultKind, Pick<ApplyError, 'kind' | 'retry' | 'title'>>> = {
  AWAY: { kind: 'SOURCE', retry: 'UNTIL_IT_WORKS', title: 'A folder is not available' },
  GONE: { kind: 'DATA', retry: 'A_FEW_TIMES', title: 'The file no longer exists at the source' },
  CHANGED: { kind: 'DATA', retry: 'A_FEW_TIMES', title: 'The file changed again and again while it was copied' },
  DENIED: { kind: 'SOURCE', retry: 'A_FEW_TIMES', title: 'The adaptor has no permission for the file' },
  FOREIGN: { kind: 'DATA', retry: 'NEVER', title: 'The file at the destination was changed there' },
  BLOCKED: { kind: 'DATA', retry: 'A_FEW_TIMES', title: 'A file or folder is in the way at the destination' },
  UNFIT: { kind: 'DATA', retry: 'NEVER', title: 'The file cannot be stored under this path' },
};

/** Converts a failure of a storage into the error of the event. */
export const toApplyError = (error: unknown): ApplyError => {
  if (error instanceof ApplyError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof StorageFault)
    return new ApplyError(message, { ...meanings[error.kind], waitsFor: error.resource, cause: error });
  // the adaptor's own state cannot be written, for example because its disk is full
  const title = 'The adaptor could not write its own state';
  return new ApplyError(message, { kind: 'SOURCE', retry: 'UNTIL_IT_WORKS', title, waitsFor: 'state', cause: error });
};
