import { decodeJwt } from 'jose';
import type { TokenVerifier } from './signed-token-verifier.js';

/** The claims of the token, unverified. */
const claimedIssuer = (token: string): string | undefined => {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
};

/** Tokens that name the external issuer go to its verifier, all others to our own, which reports their faults. */
export const verifyByIssuer = (own: TokenVerifier, issuer: string, external: TokenVerifier): TokenVerifier => ({
  verify: (token) => (claimedIssuer(token) === issuer ? external : own).verify(token),
});
