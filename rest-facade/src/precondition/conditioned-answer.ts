import { AppError } from '@fds/errors';
import type { EndpointAnswer } from '../http/endpoint.js';
import { matchedWeakly, matchesStrongly } from './entity-tags.js';
import type { ReadConditions } from './read-preconditions.js';

/**
 * Applies the conditions of a read request to its answer (RFC 9110 section 13.2.2): 304 without a body when the caller
 * has the answer already.
 *
 * @param tag entity tag of the answer; without one, the conditions are ignored
 * @throws AppError PRECONDITION_FAILED
 */
export const conditionedAnswer = (
  answer: EndpointAnswer,
  tag: string | undefined,
  { match, noneMatch }: ReadConditions,
): EndpointAnswer => {
  if (tag === undefined) return answer;
  if (match !== undefined && !matchesStrongly(match, tag)) {
    throw new AppError('PRECONDITION_FAILED', `the answer has the entity tag ${tag}`);
  }
  const known = noneMatch && matchedWeakly(noneMatch, tag);
  if (known === undefined) return answer;
  return { status: 304, headers: { ...answer.headers, etag: known } };
};
