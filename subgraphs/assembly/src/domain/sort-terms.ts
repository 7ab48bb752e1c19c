import { AppError } from '@fds/errors';
import { requireShortSort } from '@fds/graphql';
import type { SearchProperty } from '@fds/search-query';

export interface SortTerm {
  readonly property: SearchProperty;
  readonly descending: boolean;
}

/**
 * Reads `a,-b` over some properties, with names in any case.
 *
 * @throws AppError INVALID_PARAMETER that lists these properties
 */
export const sortTerms = (sort: string | undefined, properties: readonly SearchProperty[]): SortTerm[] => {
  if (sort === undefined || sort.trim() === '') return [];
  requireShortSort(sort, '/sort');
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
