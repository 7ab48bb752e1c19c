import type { Database } from '@fds/database';
import type { ClientAuthenticator } from '@fds/identity';
import type { Log } from '@fds/service';
import type { Client, Configuration, KoaContextWithOIDC, Provider as ProviderInstance } from 'oidc-provider';
import { InvalidTarget } from 'oidc-provider/lib/helpers/errors.js';
import { Provider } from 'oidc-provider/lib/provider.js';
import { answerFailure } from './answer-failure.js';
import { answerSelfContainedTokens, type SelfContainedTokens } from './answer-self-contained-tokens.js';
import { createArtifactStore } from './artifact-store.js';
import { createClientStore, holderScopeMetadata, holderUuidMetadata } from './client-store.js';
import type { SigningKey } from './signing-keys.js';

export interface ProviderOptions extends SelfContainedTokens {
  readonly issuer: string;
  readonly audience: string;
  readonly database: Database;
  readonly clients: ClientAuthenticator;
  readonly tokenMinutes: number;
  readonly log: Log;
  readonly now: () => Date;
}

const metadataText = (client: Client | undefined, name: string): string | undefined => {
  const value = client?.[name];
  return typeof value === 'string' ? value : undefined;
};

/** Only the client a token or artifact belongs to may ask for it or end it. */
const ownClient = (_ctx: KoaContextWithOIDC, client: Client, token: { readonly clientId?: string | undefined }) =>
  token.clientId === client.clientId;

/** One resource: this service. Access tokens for it are JWTs of RFC 9068. */
const resourceIndicators = (audience: string, tokenSeconds: number) => ({
  enabled: true,
  defaultResource: () => audience,
  getResourceServerInfo: (ctx: KoaContextWithOIDC, resource: string, client: Client) => {
    if (resource !== audience) throw new InvalidTarget();
    const scope = metadataText(client, holderScopeMetadata) ?? '';
    // a request without scope gets the client's whole scope (RFC 6749 section 3.3)
    if (ctx.oidc.params !== undefined) ctx.oidc.params['scope'] ??= scope;
    return {
      scope,
      audience,
      accessTokenFormat: 'jwt' as const,
      accessTokenTTL: tokenSeconds,
      jwt: { sign: { alg: 'ES256' as const } },
    };
  },
});

const createConfiguration = (options: ProviderOptions, keys: readonly SigningKey[]): Configuration => {
  const { audience, database, clients, tokenMinutes, now } = options;
  const tokenSeconds = tokenMinutes * 60;
  return {
    adapter: (model) => {
      const artifacts = createArtifactStore(database, model, now);
      return model === 'Client' ? createClientStore(clients, artifacts) : artifacts;
    },
    jwks: { keys: keys.map((key) => key.jwk) },
    routes: {
      authorization: '/oauth2/auth',
      token: '/oauth2/token',
      jwks: '/oauth2/jwks',
      introspection: '/oauth2/introspect',
      revocation: '/oauth2/revoke',
      userinfo: '/oauth2/userinfo',
      end_session: '/oauth2/logout',
    },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    extraClientMetadata: { properties: [holderUuidMetadata, holderScopeMetadata] },
    scopes: ['openid'],
    responseTypes: ['code'],
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    ttl: { ClientCredentials: tokenSeconds, AccessToken: tokenSeconds },
    renderError: (ctx, answer) => {
      ctx.type = 'json';
      ctx.body = answer;
    },
    formats: {
      customizers: {
        jwt: (ctx, _token, jwt) => {
          jwt.payload['sub'] = metadataText(ctx.oidc.client, holderUuidMetadata);
        },
      },
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: ownClient },
      revocation: { enabled: true, allowedPolicy: ownClient },
      resourceIndicators: resourceIndicators(audience, tokenSeconds),
    },
  };
};

/**
 * The OpenID Connect provider for one set of keys, which are fixed for its lifetime: a rotation makes another.
 *
 * @param keys the first one signs, all are published
 */
export const createProvider = (options: ProviderOptions, keys: readonly SigningKey[]): ProviderInstance => {
  const { issuer, clients, log } = options;
  const provider = new Provider(issuer, createConfiguration(options, keys));
  // addresses in answers are the issuer's, whatever name the caller used, see `register`
  provider.proxy = true;
  provider.use(answerSelfContainedTokens(options, answerFailure(log)) as Parameters<ProviderInstance['use']>[0]);
  Object.assign(provider.Client.prototype, {
    async compareClientSecret(this: Client, secret: string): Promise<boolean> {
      return (await clients.authenticate(this.clientId, secret)) !== undefined;
    },
  });
  provider.on('server_error', answerFailure(log));
  return provider;
};
