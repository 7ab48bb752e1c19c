import { AppError } from '@fds/errors';
import { createOpenidProvider } from './openid-provider.js';
import type { SignInProvider } from './sign-in-provider.js';

/** An external provider. Its tokens are accepted here. */
export interface ExternalProvider extends SignInProvider {
  /** Address of its keys. @throws Error while it cannot be reached */
  findKeys(): Promise<URL>;
}

export interface ExternalProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined;
  readonly scope: string;
  /** The audience of its access tokens; undefined when any is accepted. */
  readonly audience: string | undefined;
}

const isUrl = (text: string): boolean => URL.canParse(text);

export const createExternalProvider = (options: ExternalProviderOptions): ExternalProvider => {
  const { issuer, clientId, clientSecret, scope, audience } = options;
  const { provider, load } = createOpenidProvider({
    scope,
    // some providers require `audience`, others `resource` (RFC 8707); a resource must be a URI
    parameters: audience === undefined ? {} : { audience, ...(isUrl(audience) ? { resource: audience } : {}) },
    configure: (library) =>
      library.discovery(
        new URL(issuer),
        clientId,
        undefined,
        clientSecret === undefined ? library.None() : library.ClientSecretBasic(clientSecret),
        { timeout: 5, execute: issuer.startsWith('http:') ? [library.allowInsecureRequests] : [] },
      ),
  });
  return {
    ...provider,
    findKeys: async () => {
      const { configuration } = await load();
      const { jwks_uri: keys } = configuration.serverMetadata();
      if (keys === undefined) throw new AppError('UNAVAILABLE', 'the OpenID provider names no keys');
      return new URL(keys);
    },
  };
};
