import { AppError } from '@fds/errors';
import { endCheck, type RequestContext } from '@fds/graphql';
import type { WriteResult } from '../domain/record-write.js';
import type { WriteDependencies } from '../commit-writes.js';
import type { RecordsAccess } from '../../../reading/listing/resolvers/list-data-records.js';

/** Dependencies of the resolvers that change records. */
export interface RecordsWriting
  extends RecordsAccess, Pick<WriteDependencies, 'now' | 'newUuid' | 'onUnblocked' | 'onDecided'> {}

/**
 * The result of a write that was done.
 *
 * @param at pointer of the record, or the patch, in the input
 * @throws AppError the refusal, with pointers into the input; VALIDATION_FAILED without causes where the write was only to be
 * checked
 */
export const requireWritten = (
  result: WriteResult | undefined,
  at: string,
  context: RequestContext,
): Exclude<WriteResult, { readonly outcome: 'REFUSED' }> => {
  if (result === undefined) throw new TypeError('a write has no result');
  if (result.outcome !== 'REFUSED') {
    endCheck(context);
    return result;
  }
  const { error } = result;
  if (error.errors.length === 0 || at === '') throw error;
  const errors = error.errors.map((cause) => ({ ...cause, pointer: `${at}${cause.pointer}` }));
  throw new AppError(error.code, error.message, { errors, details: error.details });
};
