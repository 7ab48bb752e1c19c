import { AppError } from '@fds/errors';

export interface SortTerm {
  readonly field: string;
  readonly descending: boolean;
}

/**
 * Reads `a,-b`.
 *
 * @param allowed names that may be sorted by
 * @throws AppError INVALID_PARAMETER that lists the allowed names
 */
export const parseSort = (text: string | null | undefined, allowed: readonly string[]): SortTerm[] => {
  if (text === null || text === undefined || text.trim() === '') return [];
  return text.split(',').map((part) => {
    const term = part.trim();
    const descending = term.startsWith('-');
    const field = descending ? term.slice(1) : term;
    if (!allowed.includes(field)) {
      throw new AppError('INVALID_PARAMETER', `cannot sort by "${field}"`, {
        errors: [{ pointer: 'sort', code: 'UNKNOWN_SORT', detail: `allowed: ${allowed.join(', ')}` }],
      });
    }
    return { field, descending };
  });
};
