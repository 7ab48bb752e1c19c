import type { ErrorCause, ErrorCode } from '@fds/errors';

export interface BrokenFileOptions {
  readonly code: Extract<ErrorCode, 'MALFORMED_JSON' | 'MALFORMED_CSV' | 'VALIDATION_FAILED'>;
  /** The row in which it breaks off, where that is known. */
  readonly row?: number;
  /** Offset in bytes from 0, where that is known. */
  readonly position?: number;
  readonly errors?: readonly ErrorCause[];
}

/** A file that cannot be read any further; rows before the fault stay. The message is public. */
export class BrokenFile extends Error {
  override readonly name = 'BrokenFile';

  constructor(
    message: string,
    readonly options: BrokenFileOptions,
  ) {
    super(message);
  }
}
