import { createHash } from 'node:crypto';
import { AppError } from '@fds/errors';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  jwtVerify,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import { createBoundedCache } from './bounded-cache.js';
import type { TokenClaims } from './token-claims.js';

/** Why a token is refused. */
export type TokenFault = 'expired' | 'signature' | 'audience' | 'issuer' | 'typ' | 'malformed';

export interface TokenVerifier {
  /**
   * Claims of a valid access token. A token once verified is remembered until it expires, so that a caller that keeps
   * using it does not pay for the signature again.
   *
   * @throws AppError UNAUTHENTICATED with `details.reason`, a TokenFault
   */
  verify(token: string): Promise<TokenClaims>;
}

export interface TokenVerifierOptions {
  readonly issuer: string;
  readonly audience: string;
  /** The issuer's key set: read at each new token in process, or the address of its JWKS. */
  readonly keys: (() => Promise<JSONWebKeySet>) | URL;
  readonly now: () => Date;
  /** Verified tokens remembered at most. Default 10 000. */
  readonly maxRemembered?: number;
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

const refuse = (fault: TokenFault, cause?: unknown): AppError<'UNAUTHENTICATED'> =>
  new AppError('UNAUTHENTICATED', refusals[fault], { details: { reason: fault }, cause });

const keyResolver = (keys: TokenVerifierOptions['keys']): JWTVerifyGetKey => {
  // the cooldown keeps tokens with made-up key ids from hammering the issuer; new keys are published well before they sign
  if (keys instanceof URL) return createRemoteJWKSet(keys, { cooldownDuration: 10_000, timeoutDuration: 5_000 });
  let known: { readonly set: JSONWebKeySet; readonly resolve: JWTVerifyGetKey } | undefined;
  return async (header, token) => {
    const set = await keys();
    if (known?.set !== set) known = { set, resolve: createLocalJWKSet(set) };
    return known.resolve(header, token);
  };
};

const toClaims = (payload: JWTPayload): TokenClaims => {
  const { iss, sub, client_id: clientId, iat, exp, jti, scope } = payload;
  if (
    iss === undefined ||
    sub === undefined ||
    iat === undefined ||
    exp === undefined ||
    jti === undefined ||
    typeof clientId !== 'string'
  )
    throw refuse('malformed');
  return { iss, sub, client_id: clientId, iat, exp, jti, ...(typeof scope === 'string' ? { scope } : {}) };
};

/** Verifies access tokens of one issuer (RFC 9068 section 4): ES256 only, `typ` at+jwt, issuer, audience, lifetime. */
export const createTokenVerifier = ({
  issuer,
  audience,
  keys,
  now,
  maxRemembered = 10_000,
}: TokenVerifierOptions): TokenVerifier => {
  const resolveKey = keyResolver(keys);
  // by digest: a memory dump of the cache holds no usable token
  const remembered = createBoundedCache<string, TokenClaims>(maxRemembered);

  const verifySignature = async (token: string): Promise<TokenClaims> => {
    try {
      const { payload } = await jwtVerify(token, resolveKey, {
        issuer,
        audience,
        algorithms: ['ES256'],
        typ: 'at+jwt',
        requiredClaims: ['exp', 'iat', 'sub', 'jti', 'client_id'],
        currentDate: now(),
      });
      return toClaims(payload);
    } catch (error) {
      const fault = faultOf(error);
      if (fault !== undefined) throw refuse(fault, error);
      if (error instanceof AppError) throw error;
      throw new AppError('UNAVAILABLE', "the issuer's keys cannot be read", { cause: error });
    }
  };

  return {
    verify: async (token) => {
      const digest = createHash('sha256').update(token).digest('base64');
      const known = remembered.get(digest);
      if (known !== undefined) {
        if (known.exp * 1000 > now().getTime()) return known;
        remembered.delete(digest);
        throw refuse('expired');
      }
      const claims = await verifySignature(token);
      remembered.set(digest, claims);
      return claims;
    },
  };
};
