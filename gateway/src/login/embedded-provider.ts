import type { customFetch } from 'openid-client';
import type { ProviderFetch } from '../authorization-server/index.js';
import { createOpenidProvider } from './openid-provider.js';
import type { SignInProvider } from './sign-in-provider.js';

export interface EmbeddedProviderOptions {
  /** Our own address. */
  readonly issuer: string;
  readonly fetch: ProviderFetch;
  readonly clientId: string;
  readonly scope: string;
}

/** The provider of this service, used like any other provider but without the network. */
export const createEmbeddedProvider = ({ issuer, fetch, clientId, scope }: EmbeddedProviderOptions): SignInProvider =>
  createOpenidProvider({
    scope,
    parameters: {},
    configure: async (library) => {
      const metadata = {
        issuer,
        authorization_endpoint: `${issuer}/oauth2/auth`,
        token_endpoint: `${issuer}/oauth2/token`,
        jwks_uri: `${issuer}/oauth2/jwks`,
      };
      const algorithm = { id_token_signed_response_alg: 'ES256' };
      const configuration = new library.Configuration(metadata, clientId, algorithm, library.None());
      const key: typeof customFetch = library.customFetch;
      configuration[key] = (url, request) => fetch(url, request);
      library.allowInsecureRequests(configuration);
      return configuration;
    },
  }).provider;
