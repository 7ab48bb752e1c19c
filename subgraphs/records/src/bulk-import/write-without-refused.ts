import { AppError } from '@fds/errors';
import type { WriteRows } from './import-rows.js';

/** SQLSTATE classes of what is the data's fault: data exception, integrity violation, limit exceeded. */
const dataFault = /^(?:22|23|54)/;

const isDataFault = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && dataFault.test(error.code);

/** Writes rows together; where the database refuses one of them, the others are written without it. */
export const writeWithoutRefused =
  (write: WriteRows): WriteRows =>
  async (rows) => {
    try {
      return await write(rows);
    } catch (error) {
      if (!isDataFault(error)) throw error;
      if (rows.length === 1) {
        const refusal = new AppError('VALIDATION_FAILED', 'the record cannot be stored', { cause: error });
        return [{ outcome: 'REFUSED', error: refusal }];
      }
      const half = Math.ceil(rows.length / 2);
      const again = writeWithoutRefused(write);
      return [...(await again(rows.slice(0, half))), ...(await again(rows.slice(half)))];
    }
  };
