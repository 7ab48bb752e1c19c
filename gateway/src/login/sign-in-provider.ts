/** Values that bind the answer of a provider to the browser that sent the request (RFC 9700 section 2.1). */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The result of a sign-in (docs/reference/login.md#the-addresses). */
export interface SignedIn {
  readonly access_token: string;
  readonly refresh_token: string | undefined;
  readonly id_token: string | undefined;
  readonly token_type: 'Bearer';
  readonly expires_in: number | undefined;
}

/** An OpenID provider that people sign in at, with the authorization code flow and PKCE. */
export interface SignInProvider {
  /** Address that starts a sign-in. @param callback address to which the provider redirects the browser */
  begin(callback: string, checks: SignInChecks): Promise<URL>;
  /**
   * Exchanges the code in the callback address.
   *
   * @throws AppError INVALID_PARAMETER for a code or state of another sign-in, FORBIDDEN when the provider refused,
   * UNAVAILABLE while it cannot be reached
   */
  complete(current: URL, checks: SignInChecks): Promise<SignedIn>;
  /** Address that ends the session at the provider; undefined when the provider has none. */
  endSessionUrl(redirectUri: string | undefined): Promise<URL | undefined>;
}
