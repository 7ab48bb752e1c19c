import { AppError } from '@fds/errors';
import { searchPropertiesOf, type SearchProperty } from '@fds/search-query';
import type { CompiledModel } from '@fds/model-schema';

export interface SortTerm {
  readonly property: SearchProperty;
  readonly descending: boolean;
}

/**
 * Reads `a,-b` over the DR Key properties of a model, names in any case.
 *
 * @throws AppError INVALID_PARAMETER that lists the DR Key properties
 */
export const sortTerms = (sort: string | undefined, model: CompiledModel): SortTerm[] => {
  if (sort === undefined || sort.trim() === '') return [];
  return sort.split(',').map((part) => {
    const descending = part.trim().startsWith('-');
    const name = part.trim().replace(/^-/, '');
    const property = searchPropertiesOf(model).find((key) => key.name.toLowerCase() === name.toLowerCase());
    if (property === undefined) {
      throw new AppError('INVALID_PARAMETER', `cannot sort by "${name}"`, {
        errors: [{ pointer: '/sort', code: 'UNKNOWN_SORT', detail: `allowed: ${model.drKeyProperties.join(', ')}` }],
      });
    }
    return { property, descending };
  });
};
