import type { CursorSealer } from '@fds/auth';
import { AppError } from '@fds/errors';

/** A sealed position, or the bare position that an earlier version gave. */
const cursorText = /^(?:[\w-]{59}|\d{1,18})$/;

export const unknownCursor = (detail: string): AppError =>
  new AppError('UNKNOWN_CURSOR', detail, { errors: [{ pointer: 'after', code: 'UNKNOWN_CURSOR', detail }] });

/** One text for every cause: it shows no position of the log. */
export const foreignCursor =
  'the cursor is not of this change log. Read the resources, then subscribe without a cursor';

/**
 * The position behind which a subscription continues. "0" is the start of the log.
 *
 * @throws AppError INVALID_PARAMETER, UNKNOWN_CURSOR
 */
export const readCursor = (cursors: CursorSealer, after: string | null | undefined): bigint | undefined => {
  if (after === null || after === undefined) return undefined;
  if (after === '0') return 0n;
  if (cursorText.test(after)) {
    const position = cursors.unseal(after);
    if (position === undefined) throw unknownCursor(foreignCursor);
    return position;
  }
  const detail = `after must be the cursor of a message, not "${after.slice(0, 50)}"`;
  throw new AppError('INVALID_PARAMETER', detail, {
    errors: [{ pointer: 'after', code: 'INVALID_VALUE', detail }],
  });
};
