import type { Principal } from '@fds/auth';
import type { AnswerHeaders, Visitor } from '../admission/index.js';

/**
 * Returns the caller of a request from its Authorization header.
 *
 * @param reply sets headers of the answer; undefined when none can be set
 * @throws AppError UNAUTHENTICATED, RATE_LIMITED, or UNAVAILABLE while the caller cannot be verified
 */
export type Authenticate = (
  authorizationHeader: string | undefined,
  visitor?: Visitor,
  reply?: AnswerHeaders,
) => Promise<Principal>;
