import type { AdapterPayload } from 'oidc-provider';
import { holderScopeMetadata, personScope } from './holder-metadata.js';

/**
 * The client that people sign in with. It is public: it has no secret, so codes need PKCE and refresh tokens are good for
 * one use. It comes before a person of that name.
 */
export const loginClientId = 'fds-web';

/** The scope of a sign-in: identity, and access to the API. */
export const loginScope = `openid profile email ${personScope}`;

/** @param redirectUris where codes may go */
export const describeLoginClient = (redirectUris: readonly string[]): AdapterPayload => ({
  client_id: loginClientId,
  client_name: 'Federated Data Service',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  redirect_uris: [...redirectUris],
  [holderScopeMetadata]: personScope,
});
