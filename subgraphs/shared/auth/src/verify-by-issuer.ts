import { decodeJwt } from 'jose';
import type { TokenVerifier } from './signed-token-verifier.js';

/** What the token says of itself, unverified. */
const claimedIssuer = (token: string): string | undefined => {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
};

/** Tokens that name the external issuer go to its verifier, all others to our own, which says what is wrong with them. */
export const verifyByIssuer = (own: TokenVerifier, issuer: string, external: TokenVerifier): TokenVerifier => ({
  verify: (token) => (claimedIssuer(token) === issuer ? external : own).verify(token),
});
