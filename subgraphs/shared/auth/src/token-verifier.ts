import { createLocalJWKSet, createRemoteJWKSet, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { createSignedTokenVerifier, refuseToken, type TokenVerifier } from './signed-token-verifier.js';
import type { TokenClaims } from './token-claims.js';

export interface TokenVerifierOptions {
  readonly issuer: string;
  /** Addresses of this service that a token may be meant for: one of them. */
  readonly audiences: readonly string[];
  /** The issuer's key set: read at each new token in process, or the address of its JWKS. */
  readonly keys: (() => Promise<JSONWebKeySet>) | URL;
  readonly now: () => Date;
  /** Verified tokens remembered at most. Default 10 000. */
  readonly maxRemembered?: number;
}

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
  const { iss, sub, client_id: clientId, iat, exp, jti, scope, grant_id: grantId, token_epoch: tokenEpoch } = payload;
  if (
    iss === undefined ||
    sub === undefined ||
    iat === undefined ||
    exp === undefined ||
    jti === undefined ||
    typeof clientId !== 'string'
  )
    throw refuseToken('malformed');
  return {
    iss,
    sub,
    client_id: clientId,
    iat,
    exp,
    jti,
    ...(typeof scope === 'string' ? { scope } : {}),
    ...(typeof grantId === 'string' ? { grant_id: grantId } : {}),
    ...(typeof tokenEpoch === 'number' ? { token_epoch: tokenEpoch } : {}),
  };
};

/** Verifies access tokens of one issuer (RFC 9068 section 4): ES256 only, `typ` at+jwt, issuer, audience, lifetime. */
export const createTokenVerifier = ({
  issuer,
  audiences,
  keys,
  now,
  maxRemembered = 10_000,
}: TokenVerifierOptions): TokenVerifier =>
  createSignedTokenVerifier({
    resolveKey: keyResolver(keys),
    demands: {
      issuer,
      audience: [...audiences],
      algorithms: ['ES256'],
      typ: 'at+jwt',
      requiredClaims: ['exp', 'iat', 'sub', 'jti', 'client_id'],
    },
    toClaims,
    now,
    maxRemembered,
  });
