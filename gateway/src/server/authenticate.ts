import type { Principal } from '@fds/auth';

/**
 * Who sends a request, from its Authorization header.
 *
 * @throws AppError UNAUTHENTICATED, or UNAVAILABLE while it cannot be told
 */
export type Authenticate = (authorizationHeader: string | undefined) => Promise<Principal>;
