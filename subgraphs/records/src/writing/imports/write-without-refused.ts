import { AppError } from '@fds/errors';
import type { WriteResult } from '../writes/domain/record-write.js';

/** SQLSTATE classes of faults of the data: data exception, integrity violation, limit exceeded. */
const dataFault = /^(?:22|23|54)/;

const isDataFault = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && dataFault.test(error.code);

/** Writes items together; where the database refuses one of them, the others are written without it. */
export const writeWithoutRefused = async <Item>(
  items: readonly Item[],
  write: (items: readonly Item[]) => Promise<readonly WriteResult[]>,
): Promise<readonly WriteResult[]> => {
  try {
    return await write(items);
  } catch (error) {
    if (!isDataFault(error)) throw error;
    if (items.length === 1) {
      const refusal = new AppError('VALIDATION_FAILED', 'the record cannot be stored', { cause: error });
      return [{ outcome: 'REFUSED', error: refusal }];
    }
    const half = Math.ceil(items.length / 2);
    const first = await writeWithoutRefused(items.slice(0, half), write);
    return [...first, ...(await writeWithoutRefused(items.slice(half), write))];
  }
};
