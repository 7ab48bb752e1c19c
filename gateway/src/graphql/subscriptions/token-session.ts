import type { Principal } from '@fds/auth';

/** The token of a websocket, while it is valid. */
export interface TokenSession {
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** The holder with present permissions. @throws AppError UNAUTHENTICATED, FORBIDDEN when the token was ended */
  principal(): Promise<Principal>;
}

/** @param authorization the header, or the member of connection_init */
export type OpenSession = (authorization: string | undefined) => Promise<TokenSession>;
