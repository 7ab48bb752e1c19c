import { AppError } from '@fds/errors';
import type { SearchProperty } from '@fds/search';

export interface SortTerm {
  readonly property: SearchProperty;
  readonly descending: boolean;
}

/** Each term of a longer text would be compared with each property. */
const maxLength = 10_000;

/**
 * Reads `a,-b` over some properties, with names in any case.
 *
 * @throws AppError INVALID_PARAMETER that lists these properties
 */
export const sortTerms = (sort: string | undefined, properties: readonly SearchProperty[]): SortTerm[] => {
  if (sort === undefined || sort.trim() === '') return [];
  if (sort.length > maxLength) {
    const detail = `a sort has at most ${maxLength} characters`;
    throw new AppError('INVALID_PARAMETER', detail, { errors: [{ pointer: '/sort', code: 'TOO_LONG', detail }] });
  }
  return sort.split(',').map((part) => {
    const descending = part.trim().startsWith('-');
    const name = part.trim().replace(/^-/, '');
    const property = properties.find((key) => key.name.toLowerCase() === name.toLowerCase());
    if (property === undefined) {
      throw new AppError('INVALID_PARAMETER', `cannot sort by "${name}"`, {
        errors: [
          {
            pointer: '/sort',
            code: 'UNKNOWN_SORT',
            detail: `allowed: ${properties.map((each) => each.name).join(', ')}`,
          },
        ],
      });
    }
    return { property, descending };
  });
};
