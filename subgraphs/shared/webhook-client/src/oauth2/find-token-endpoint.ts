import * as oauth from 'oauth4webapi';
import { RefusedTarget } from '../target/refused-target.js';
import type { OAuth2Registration } from './oauth2-registration.js';
import type { OAuthRequestOptions } from './oauth-request-options.js';
import { TokenFailure } from './token-failure.js';

const openid = '/.well-known/openid-configuration';
const rfc8414 = '/.well-known/oauth-authorization-server';

/** The issuer of an address, which may be the address of its metadata. */
const issuerOf = (issuerUri: string): URL => {
  const url = new URL(issuerUri);
  const { pathname } = url;
  if (pathname.endsWith(openid)) url.pathname = pathname.slice(0, -openid.length);
  else if (pathname === rfc8414 || pathname.startsWith(`${rfc8414}/`)) url.pathname = pathname.slice(rfc8414.length);
  return url;
};

/**
 * The metadata of the authorization server, from the registration, otherwise by OpenID Connect Discovery, otherwise by
 * RFC 8414.
 *
 * @throws TokenFailure, RefusedTarget
 */
export const findTokenEndpoint = async (
  registration: OAuth2Registration,
  options: OAuthRequestOptions,
): Promise<oauth.AuthorizationServer> => {
  const { issuerUri, tokenUri } = registration;
  if (tokenUri !== undefined && tokenUri !== null && tokenUri !== '') {
    return { issuer: issuerUri ?? new URL(tokenUri).origin, token_endpoint: tokenUri };
  }
  const issuer = issuerOf(issuerUri ?? '');
  for (const algorithm of ['oidc', 'oauth2'] as const) {
    try {
      const response = await oauth.discoveryRequest(issuer, { ...options, algorithm });
      return await oauth.processDiscoveryResponse(issuer, response);
    } catch (error) {
      if (error instanceof RefusedTarget) throw error;
      if (algorithm === 'oauth2') options.signal.throwIfAborted();
    }
  }
  throw new TokenFailure('the issuer gives no metadata, neither of OpenID Connect nor of RFC 8414');
};
