/** Claims of a verified access token (RFC 9068). Times are epoch seconds. */
export interface TokenClaims {
  readonly iss: string;
  /** Person or adaptor uuid. */
  readonly sub: string;
  readonly client_id: string;
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  readonly scope?: string;
  /** The sign-in that the token came of; undefined for client credentials. */
  readonly grant_id?: string;
  /**
   * Epoch of the secret by which the token was obtained. It ends with the next password or secret. Tokens without it are of
   * epoch 0; undefined for tokens of an external issuer.
   */
  readonly token_epoch?: number;
  /** The person's id at the external issuer, instead of the issuer's `sub`; undefined for our own tokens. */
  readonly ssoId?: string;
}
