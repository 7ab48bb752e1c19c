import { AppError } from '@fds/errors';
import type * as OpenidClient from 'openid-client';
import type { SignInProvider } from './sign-in-provider.js';

interface OpenidProviderOptions {
  /** Loads its configuration; called again after a failure. */
  readonly configure: (library: typeof OpenidClient) => Promise<OpenidClient.Configuration>;
  readonly scope: string;
  /** Additional parameters of the authorization request. */
  readonly parameters: Readonly<Record<string, string>>;
}

const signInRefusal = (library: typeof OpenidClient, error: unknown): AppError => {
  if (error instanceof library.AuthorizationResponseError) {
    return new AppError('FORBIDDEN', `the sign-in was refused: ${error.error_description ?? error.error}`, {
      cause: error,
    });
  }
  if (error instanceof library.ResponseBodyError && error.error === 'invalid_grant')
    return new AppError('INVALID_PARAMETER', 'the code is not valid, or was used already', { cause: error });
  if (error instanceof library.ClientError && error.code === 'OAUTH_INVALID_RESPONSE')
    return new AppError('INVALID_PARAMETER', 'the answer is not one to this sign-in', { cause: error });
  return new AppError('UNAVAILABLE', 'the OpenID provider does not answer as it should', { cause: error });
};

/** A provider that supports OpenID Connect, with its configuration. */
export const createOpenidProvider = ({ configure, scope, parameters }: OpenidProviderOptions) => {
  let configured: Promise<OpenidClient.Configuration> | undefined;
  // the library is loaded for the first sign-in
  const load = async () => {
    const library = await import('openid-client');
    configured ??= configure(library);
    try {
      return { library, configuration: await configured };
    } catch (error) {
      configured = undefined;
      throw new AppError('UNAVAILABLE', 'the OpenID provider cannot be reached', { cause: error });
    }
  };
  const provider: SignInProvider = {
    begin: async (callback, { state, nonce, codeVerifier }) => {
      const { library, configuration } = await load();
      return library.buildAuthorizationUrl(configuration, {
        ...parameters,
        redirect_uri: callback,
        scope,
        state,
        nonce,
        code_challenge: await library.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
    },
    complete: async (current, { state, nonce, codeVerifier }) => {
      const { library, configuration } = await load();
      try {
        const answer = await library.authorizationCodeGrant(configuration, current, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const { access_token, refresh_token, id_token, expires_in } = answer;
        return { access_token, refresh_token, id_token, token_type: 'Bearer', expires_in };
      } catch (error) {
        throw signInRefusal(library, error);
      }
    },
    endSessionUrl: async (redirectUri) => {
      const { library, configuration } = await load();
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      return library.buildEndSessionUrl(
        configuration,
        redirectUri === undefined ? {} : { post_logout_redirect_uri: redirectUri },
      );
    },
  };
  return { provider, load };
};
