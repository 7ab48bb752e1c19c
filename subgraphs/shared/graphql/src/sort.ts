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
