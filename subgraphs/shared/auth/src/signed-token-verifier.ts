import { hash } from 'node:crypto';
import { AppError } from '@fds/errors';
import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions } from 'jose';
import { LRUCache } from 'lru-cache';
import type { TokenClaims } from './token-claims.js';

/** Why a token is refused. */
type TokenFault = 'expired' | 'signature' | 'audience' | 'issuer' | 'typ' | 'malformed';

export interface TokenVerifier {
  /**
   * Claims of a valid access token. A token once verified is remembered until it expires, so that a caller that keeps
   * using it does not pay for the signature again.
   *
   * @throws AppError UNAUTHENTICATED with `details.reason`, a TokenFault; UNAVAILABLE while the keys cannot be read
   */
  verify(token: string): Promise<TokenClaims>;
}

interface SignedTokenOptions {
  readonly resolveKey: JWTVerifyGetKey;
  readonly demands: JWTVerifyOptions;
  /** @param digest SHA-256 of the token. @throws AppError of `refuseToken` */
  readonly toClaims: (payload: JWTPayload, digest: string, type: string | undefined) => TokenClaims;
  readonly now: () => Date;
  readonly maxRemembered: number;
}

const refusals: Readonly<Record<TokenFault, string>> = {
  expired: 'the token has expired',
  signature: "the token's signature is not valid",
  audience: 'the token is not meant for this service',
  issuer: 'the token comes from another issuer',
  typ: 'the token is not an access token',
  malformed: 'the token is malformed',
};

const claimFaults: Readonly<Record<string, TokenFault>> = { aud: 'audience', iss: 'issuer', typ: 'typ' };

const faultOf = (error: unknown): TokenFault | undefined => {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) return claimFaults[error.claim] ?? 'malformed';
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey)
    return 'signature';
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return undefined;
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC' ? 'malformed' : undefined;
};

export const refuseToken = (fault: TokenFault, cause?: unknown): AppError<'UNAUTHENTICATED'> =>
  new AppError('UNAUTHENTICATED', refusals[fault], { details: { reason: fault }, cause });

/** Verifies signed tokens and remembers those that are valid. */
export const createSignedTokenVerifier = ({
  resolveKey,
  demands,
  toClaims,
  now,
  maxRemembered,
}: SignedTokenOptions): TokenVerifier => {
  // by digest: a memory dump of the cache holds no usable token
  const remembered = new LRUCache<string, TokenClaims>({ max: maxRemembered });

  const verifySignature = async (token: string, digest: string): Promise<TokenClaims> => {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, resolveKey, { ...demands, currentDate: now() });
      return toClaims(payload, digest, protectedHeader.typ);
    } catch (error) {
      const fault = faultOf(error);
      if (fault !== undefined) throw refuseToken(fault, error);
      if (error instanceof AppError) throw error;
      throw new AppError('UNAVAILABLE', "the issuer's keys cannot be read", { cause: error });
    }
  };

  return {
    verify: async (token) => {
      const digest = hash('sha256', token, 'base64');
      const known = remembered.get(digest);
      if (known !== undefined) {
        if (known.exp * 1000 > now().getTime()) return known;
        remembered.delete(digest);
        throw refuseToken('expired');
      }
      const claims = await verifySignature(token, digest);
      remembered.set(digest, claims);
      return claims;
    },
  };
};
