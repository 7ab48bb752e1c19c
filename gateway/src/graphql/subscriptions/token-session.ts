import type { Principal } from '@fds/auth';

/** A valid token of a websocket. */
export interface TokenSession {
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** The holder with current permissions. @throws AppError UNAUTHENTICATED, FORBIDDEN when the token has ended */
  principal(): Promise<Principal>;
}

/** @param authorization the Authorization header, or the same member of connection_init */
export type OpenSession = (authorization: string | undefined) => Promise<TokenSession>;
