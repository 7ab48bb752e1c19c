import type { AdapterPayload } from 'oidc-provider';
import { holderScopeMetadata, personScope } from './holder-metadata.js';

/**
 * The client that people sign in with. It is public: it has no secret, so codes need PKCE, and each refresh token can
 * be used once. It takes precedence over a person of that name.
 */
export const loginClientId = 'fds-web';

/** The scope of a sign-in: identity, and access to the API. */
export const loginScope = `openid profile email ${personScope}`;

/** @param redirectUris addresses that may receive a code */
export const describeLoginClient = (redirectUris: readonly string[]): AdapterPayload => ({
  client_id: loginClientId,
  client_name: 'Federated Data Service',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  redirect_uris: [...redirectUris],
  [holderScopeMetadata]: personScope,
});

/**
 * The client of the command line `fds`. It is public, as every program on a person's computer is (RFC 8252): codes need
 * PKCE, and go to a port of that computer only, which the command line chooses.
 */
export const commandLineClientId = 'fds-cli';

/** The origin to which a code of the command line goes, with any port. `localhost` may be another computer. */
export const commandLineOrigin = 'http://127.0.0.1';

export const describeCommandLineClient = (): AdapterPayload => ({
  client_id: commandLineClientId,
  client_name: 'fds',
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  redirect_uris: [`${commandLineOrigin}/signed-in`],
  [holderScopeMetadata]: personScope,
});
