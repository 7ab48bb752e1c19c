import type { Principal } from '@fds/auth';
import type { AnswerHeaders, Visitor } from '../admission/index.js';

/**
 * Who sends a request, from its Authorization header.
 *
 * @param reply gets headers of the answer; undefined where there are none
 * @throws AppError UNAUTHENTICATED, RATE_LIMITED, or UNAVAILABLE while it cannot be told
 */
export type Authenticate = (
  authorizationHeader: string | undefined,
  visitor?: Visitor,
  reply?: AnswerHeaders,
) => Promise<Principal>;
