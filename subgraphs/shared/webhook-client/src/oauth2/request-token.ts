import * as oauth from 'oauth4webapi';
import { RefusedTarget } from '../target/refused-target.js';
import { findTokenEndpoint } from './find-token-endpoint.js';
import { isClientAuthenticationMethod, scopeOf, type OAuth2Registration } from './oauth2-registration.js';
import type { OAuthRequestOptions } from './oauth-request-options.js';
import { TokenFailure } from './token-failure.js';

export interface AccessToken {
  readonly token: string;
  /** Its lifetime in seconds, when the authorization server states one. */
  readonly expiresIn: number | undefined;
}

const authenticationOf = ({ clientSecret, clientAuthenticationMethod }: OAuth2Registration): oauth.ClientAuth => {
  const method = clientAuthenticationMethod ?? '';
  const secret = clientSecret ?? '';
  if (method !== '' && !isClientAuthenticationMethod(method)) throw new TokenFailure('unknown authentication method');
  if (method === 'none' || secret === '') return oauth.None();
  if (method === 'post' || method === 'client_secret_post') return oauth.ClientSecretPost(secret);
  return method === 'client_secret_jwt' ? oauth.ClientSecretJwt(secret) : oauth.ClientSecretBasic(secret);
};

/** An error code of RFC 6749 names the fault and contains no part of the client's secret. */
const publicCode = (code: string): string => (/^[a-z][a-z_]{1,40}$/.test(code) ? ` ${code}` : '');

const failureOf = (error: unknown): Error => {
  if (error instanceof RefusedTarget || error instanceof TokenFailure) return error;
  if (error instanceof oauth.ResponseBodyError) {
    return new TokenFailure(`the token endpoint answered ${error.status}${publicCode(error.error)}`);
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    return new TokenFailure(`the token endpoint answered ${error.status}`);
  }
  if (error instanceof oauth.OperationProcessingError) {
    return new TokenFailure('the authorization server gave an answer that OAuth 2.0 does not allow');
  }
  return new TokenFailure('the authorization server cannot be reached');
};

/** Gets an access token by client credentials. @throws TokenFailure, RefusedTarget */
export const requestToken = async (
  registration: OAuth2Registration,
  options: OAuthRequestOptions,
): Promise<AccessToken> => {
  try {
    const server = await findTokenEndpoint(registration, options);
    const client: oauth.Client = { client_id: registration.clientId };
    const scope = scopeOf(registration);
    const parameters = new URLSearchParams(scope === undefined ? {} : { scope });
    const authentication = authenticationOf(registration);
    const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, parameters, options);
    const { access_token: token, expires_in: expiresIn } = await oauth.processClientCredentialsResponse(
      server,
      client,
      response,
    );
    if (!/^[\x21-\x7e]{1,16384}$/.test(token)) throw new TokenFailure('the access token cannot be sent in a header');
    return { token, expiresIn };
  } catch (error) {
    throw failureOf(error);
  }
};
