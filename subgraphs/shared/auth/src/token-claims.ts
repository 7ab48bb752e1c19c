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
}
