import { parse } from '../generated/search-query-parser.js';
import { grammarFaultOf } from '../faults/grammar-fault.js';
import { toQueryError } from '../faults/query-fault.js';
import { queryLimits } from '../faults/query-limits.js';
import type { SearchQuery } from './search-query.js';

export interface ParseOptions {
  /** Are `${name}` values of a parent record known here? Otherwise one is a fault, and within quotes it is text. */
  readonly placeholders: 'allowed' | 'refused';
}

const countTests = (query: SearchQuery): number => {
  switch (query.kind) {
    case 'all':
      return 0;
    case 'match':
      return 1;
    case 'not':
      return countTests(query.of);
    case 'and':
    case 'or':
      return query.of.reduce((sum, each) => sum + countTests(each), 0);
    case 'clauses':
      return [...query.required, ...query.optional, ...query.excluded].reduce((sum, each) => sum + countTests(each), 0);
  }
};

const refuse = (code: string, detail: string, position: number): never => {
  throw toQueryError([{ code, detail, position }]);
};

/**
 * Reads a search expression. The empty one means every record.
 *
 * @throws AppError INVALID_QUERY with `position`, also when the expression is over a limit
 */
export const parseSearchQuery = (
  text: string,
  { placeholders }: ParseOptions = { placeholders: 'refused' },
): SearchQuery => {
  const { maxLength, maxDepth, maxTests } = queryLimits;
  if (text.length > maxLength) refuse('TOO_LONG', `a search expression has at most ${maxLength} characters`, maxLength);
  const nul = text.indexOf('\0');
  if (nul >= 0) refuse('INVALID_CHARACTER', 'the character U+0000 cannot be searched for', nul);
  let query: SearchQuery;
  try {
    query = parse(text, { placeholders: placeholders === 'allowed', maxDepth }) as SearchQuery;
  } catch (error) {
    const { detail, offset } = grammarFaultOf(error);
    return refuse('SYNTAX', detail, offset);
  }
  if (countTests(query) > maxTests) refuse('TOO_MANY_TERMS', `a search expression has at most ${maxTests} terms`, 0);
  return query;
};
