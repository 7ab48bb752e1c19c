import { checkSearchQuery, parseSearchQuery, type SearchCondition, type SearchProperty } from '@fds/search';

/**
 * Reads a search expression over some properties. A blank one has no condition.
 *
 * @throws AppError INVALID_QUERY with `position`
 */
export const searchCondition = (
  query: string | undefined,
  properties: readonly SearchProperty[],
): SearchCondition | undefined =>
  query === undefined || query.trim() === '' ? undefined : checkSearchQuery(parseSearchQuery(query), properties);
