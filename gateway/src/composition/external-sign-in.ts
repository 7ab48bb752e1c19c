import { createExternalTokenVerifier, verifyByIssuer, type TokenVerifier } from '@fds/auth';
import { createExternalProvider, type ExternalProvider } from '../login/index.js';
import type { ServiceSettings } from './settings/service-settings.js';

/** The external OpenID provider, as the settings name it. */
export interface ExternalSignIn {
  readonly issuer: string;
  readonly provider: ExternalProvider;
  /** Verifies its access tokens. */
  readonly verifier: TokenVerifier;
}

/** It sends no request to the provider until a person signs in or sends one of its tokens. Undefined when none is set. */
export const createExternalSignIn = (
  settings: ServiceSettings,
  baseUrl: string,
  now: () => Date,
): ExternalSignIn | undefined => {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret, oidcAudience, oidcSsoIdClaim } = settings;
  if (issuer === undefined || clientId === undefined) return undefined;
  const provider = createExternalProvider({
    issuer,
    clientId,
    clientSecret: oidcClientSecret?.reveal(),
    scope: settings.oidcScope,
    audience: oidcAudience,
  });
  const verifier = createExternalTokenVerifier({
    issuer,
    audiences: [oidcAudience ?? clientId, `${baseUrl}/api`, `${baseUrl}/mcp`],
    findKeys: provider.findKeys,
    ssoIdClaim: oidcSsoIdClaim,
    now,
  });
  return { issuer, provider, verifier };
};

/** Verifies our own tokens, and those of the external provider if one is set. */
export const acceptedBy = (own: TokenVerifier, external: ExternalSignIn | undefined): TokenVerifier =>
  external === undefined ? own : verifyByIssuer(own, external.issuer, external.verifier);
