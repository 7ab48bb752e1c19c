import type { allowInsecureRequests, customFetch } from 'oauth4webapi';

/** How requests reach the authorization server. */
export interface OAuthRequestOptions {
  readonly [customFetch]: typeof fetch;
  /** Receivers in a private network may use http. */
  readonly [allowInsecureRequests]: true;
  readonly signal: AbortSignal;
}
