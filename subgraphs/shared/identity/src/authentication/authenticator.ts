import type { Principal, TokenClaims, TokenVerifier } from '@fds/auth';
import { toUnavailable } from '@fds/database';
import { AppError } from '@fds/errors';
import type { IdentityDirectory } from '../directory/identity-directory.js';

/** A caller, with the content of the token. */
export interface IdentifiedCaller {
  readonly principal: Principal;
  readonly claims: TokenClaims;
}

/** The caller of a request, from its Authorization header: every door uses it. */
export interface Authenticator {
  /**
   * @throws AppError FORBIDDEN for a person of no zone, UNAUTHENTICATED with `details.reason`, `missing` when there is no bearer token; the door adds
   * WWW-Authenticate. UNAVAILABLE while the database or the issuer's keys cannot be read
   */
  identify(authorizationHeader: string | undefined): Promise<IdentifiedCaller>;
  /** The principal alone. */
  authenticate(authorizationHeader: string | undefined): Promise<Principal>;
}

export interface AuthenticatorOptions {
  readonly verifier: TokenVerifier;
  readonly directory: IdentityDirectory;
}

const bearer = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i; // RFC 6750 section 2.1

/** Verifies bearer tokens and resolves their holders. */
export const createAuthenticator = ({ verifier, directory }: AuthenticatorOptions): Authenticator => {
  const identify = async (authorizationHeader: string | undefined): Promise<IdentifiedCaller> => {
    const token = bearer.exec(authorizationHeader ?? '')?.[1];
    if (token === undefined)
      throw new AppError('UNAUTHENTICATED', 'the request carries no bearer token', { details: { reason: 'missing' } });
    try {
      const claims = await verifier.verify(token);
      return { principal: await directory.principalOf(claims), claims };
    } catch (error) {
      throw toUnavailable(error);
    }
  };
  return { identify, authenticate: async (authorizationHeader) => (await identify(authorizationHeader)).principal };
};
