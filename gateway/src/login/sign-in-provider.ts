/** Binds the answer of a provider to the browser that asked (RFC 9700 section 2.1). */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The result of a sign-in (docs/specification/authentication.md#sign-in-of-people). */
export interface SignedIn {
  readonly access_token: string;
  readonly refresh_token: string | undefined;
  readonly id_token: string | undefined;
  readonly token_type: 'Bearer';
  readonly expires_in: number | undefined;
}

/** An OpenID provider that people sign in at: authorization code with PKCE. */
export interface SignInProvider {
  /** Address that starts a sign-in. @param callback where the provider sends the browser back to */
  begin(callback: string, checks: SignInChecks): Promise<URL>;
  /**
   * Exchanges the code in the address that the browser came back to.
   *
   * @throws AppError INVALID_PARAMETER for a code or state that is not of this sign-in, FORBIDDEN when the provider
   * refused, UNAVAILABLE while it cannot be reached
   */
  complete(current: URL, checks: SignInChecks): Promise<SignedIn>;
  /** Address that ends the session there; undefined where the provider has none. */
  endSessionUrl(redirectUri: string | undefined): Promise<URL | undefined>;
}
