import { createRemoteJWKSet, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { createSignedTokenVerifier, refuseToken, type TokenVerifier } from './signed-token-verifier.js';
import type { TokenClaims } from './token-claims.js';

export interface ExternalTokenVerifierOptions {
  readonly issuer: string;
  /** One of them must be in `aud`. */
  readonly audiences: readonly string[];
  /** Address of the issuer's JWKS; asked for again until it is known. */
  readonly findKeys: () => Promise<URL>;
  /** The claim that is compared with `ssoId` of a user. */
  readonly ssoIdClaim: string;
  readonly now: () => Date;
  /** Verified tokens remembered at most. Default 10 000. */
  readonly maxRemembered?: number;
}

/** Signatures that need no shared secret. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Many issuers do not say at+jwt. */
const accessTokenTypes: ReadonlySet<string | undefined> = new Set([undefined, 'JWT', 'at+jwt', 'application/at+jwt']);
/** Claims of ID tokens, which prove a sign-in to the application and open no door (OpenID Connect Core, section 2). */
const idTokenClaims = ['nonce', 'at_hash', 'c_hash'];
/** Keycloak tells its tokens apart by a claim. */
const otherTokens: ReadonlySet<unknown> = new Set(['ID', 'Refresh', 'Offline', 'Logout']);

const isAccessToken = (payload: JWTPayload, type: string | undefined): boolean =>
  accessTokenTypes.has(type) && !otherTokens.has(payload['typ']) && idTokenClaims.every((name) => !(name in payload));

const clientIdOf = ({ client_id: clientId, azp }: JWTPayload): string => {
  if (typeof clientId === 'string') return clientId;
  return typeof azp === 'string' ? azp : '';
};

const createToClaims =
  (ssoIdClaim: string) =>
  (payload: JWTPayload, digest: string, type: string | undefined): TokenClaims => {
    if (!isAccessToken(payload, type)) throw refuseToken('typ');
    const { iss, sub = '', iat, exp, jti = digest, scope } = payload;
    const ssoId = payload[ssoIdClaim];
    if (iss === undefined || iat === undefined || exp === undefined || typeof ssoId !== 'string' || ssoId === '')
      throw refuseToken('malformed');
    return {
      iss,
      sub,
      client_id: clientIdOf(payload),
      iat,
      exp,
      jti,
      ssoId,
      ...(typeof scope === 'string' ? { scope } : {}),
    };
  };

/** Verifies access tokens (JWTs) of an issuer that is not ours. Its keys are read again when one is not known. */
export const createExternalTokenVerifier = ({
  issuer,
  audiences,
  findKeys,
  ssoIdClaim,
  now,
  maxRemembered = 10_000,
}: ExternalTokenVerifierOptions): TokenVerifier => {
  let remote: JWTVerifyGetKey | undefined;
  return createSignedTokenVerifier({
    resolveKey: async (header, token) => {
      remote ??= createRemoteJWKSet(await findKeys(), { cooldownDuration: 10_000, timeoutDuration: 5_000 });
      return remote(header, token);
    },
    demands: { issuer, audience: [...audiences], algorithms, requiredClaims: ['exp', 'iat'], clockTolerance: 5 },
    toClaims: createToClaims(ssoIdClaim),
    now,
    maxRemembered,
  });
};
