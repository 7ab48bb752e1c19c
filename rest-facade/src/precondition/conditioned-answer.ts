import { AppError } from '@fds/errors';
import type { EndpointAnswer } from '../http/endpoint.js';
import { matchesStrongly, matchesWeakly } from './entity-tags.js';
import type { ReadConditions } from './read-preconditions.js';

/**
 * What the conditions of a reading request make of its answer (RFC 9110 section 13.2.2): 304 without a body when the caller
 * has it already.
 *
 * @param tag entity tag of the answer; without one no condition is held
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
  if (noneMatch === undefined || !matchesWeakly(noneMatch, tag)) return answer;
  return { status: 304, headers: answer.headers ?? {} };
};
