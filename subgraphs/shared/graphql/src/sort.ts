import { AppError } from '@fds/errors';

export interface SortTerm {
  readonly field: string;
  readonly descending: boolean;
}

/** Each term of a longer text would be compared with each property. */
const maxSortLength = 10_000;

/** @throws AppError INVALID_PARAMETER for a text that is too long to be read */
export const requireShortSort = (text: string): void => {
  if (text.length <= maxSortLength) return;
  const detail = `a sort has at most ${maxSortLength} characters`;
  throw new AppError('INVALID_PARAMETER', detail, { errors: [{ pointer: 'sort', code: 'TOO_LONG', detail }] });
};

/**
 * Reads `a,-b`.
 *
 * @param allowed names that may be sorted by
 * @throws AppError INVALID_PARAMETER that lists the allowed names, and for a text above 10 000 characters
 */
export const parseSort = (text: string | null | undefined, allowed: readonly string[]): SortTerm[] => {
  if (text === null || text === undefined || text.trim() === '') return [];
  requireShortSort(text);
  const terms = text.split(',').map((part) => {
    const term = part.trim();
    const descending = term.startsWith('-');
    return { field: descending ? term.slice(1) : term, descending };
  });
  const unknown = terms.filter(({ field }) => !allowed.includes(field));
  if (unknown.length > 0) {
    throw new AppError('INVALID_PARAMETER', `cannot sort by ${unknown.map(({ field }) => `"${field}"`).join(', ')}`, {
      errors: unknown.map(({ field }) => ({
        pointer: 'sort',
        code: 'UNKNOWN_SORT',
        detail: `"${field}" is unknown; allowed: ${allowed.join(', ')}`,
      })),
    });
  }
  return terms;
};
