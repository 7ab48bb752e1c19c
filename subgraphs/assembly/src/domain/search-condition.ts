import type { CompiledModel } from '@fds/model-schema';
import { checkSearchQuery, parseSearchQuery, searchPropertiesOf, type SearchCondition } from '@fds/search-query';

/**
 * Reads a search expression over the DR Key properties of a model; the blank one asks for nothing.
 *
 * @throws AppError INVALID_QUERY with `position`
 */
export const searchCondition = (query: string | undefined, model: CompiledModel): SearchCondition | undefined =>
  query === undefined || query.trim() === ''
    ? undefined
    : checkSearchQuery(parseSearchQuery(query), searchPropertiesOf(model));
