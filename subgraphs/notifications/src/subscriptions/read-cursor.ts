import { AppError } from '@fds/errors';

/** Digits of a 64-bit position. */
const cursorText = /^\d{1,18}$/;

/** @throws AppError INVALID_PARAMETER */
export const readCursor = (after: string | null | undefined): bigint | undefined => {
  if (after === null || after === undefined) return undefined;
  if (cursorText.test(after)) return BigInt(after);
  const detail = `after must be the cursor of a message, not "${after.slice(0, 50)}"`;
  throw new AppError('INVALID_PARAMETER', detail, {
    errors: [{ pointer: 'after', code: 'INVALID_VALUE', detail }],
  });
};
