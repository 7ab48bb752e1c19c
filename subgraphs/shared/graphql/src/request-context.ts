import type { Principal } from '@fds/auth';
import { AppError } from '@fds/errors';

/** Data of the request for every resolver. One object per operation: loaders hang on it by WeakMap. */
export interface RequestContext {
  readonly principal: Principal;
  readonly requestId: string;
  /** The address that the request comes from, for entries of refused accesses; undefined where no door provides it. */
  readonly address?: string | undefined;
  /** The Authorization header as received, for parts in other processes: they verify it again. */
  readonly authorization?: string | undefined;
  /**
   * `check`: the door has refused the request already and collects the other faults. Nothing may change and no message is
   * sent; root fields that cannot promise it refuse (`guarded`). Default: the operation is run.
   */
  readonly purpose?: 'check' | undefined;
  /** How the caller gets `Long` values: as text for clients whose JSON reader rounds. Default: as JSON integers. */
  readonly longAs?: 'text' | undefined;
  /** Aborted when the caller goes away. */
  readonly signal?: AbortSignal;
}

/**
 * Ends an operation that is only to be checked; to be called when everything has been checked and before anything changes.
 *
 * @throws AppError VALIDATION_FAILED without causes: nothing else is wrong
 */
export const endCheck = ({ purpose }: Pick<RequestContext, 'purpose'>): void => {
  if (purpose === 'check') throw new AppError('VALIDATION_FAILED', 'the request has been refused already');
};
