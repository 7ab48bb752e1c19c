import type { IncomingMessage } from 'node:http';
import { AppError } from '@fds/errors';
import type { ClientAuthenticator } from '@fds/identity';
import type { Log } from '@fds/service';
import type { Client, Configuration, Grant, KoaContextWithOIDC, Provider as ProviderInstance } from 'oidc-provider';
import { CustomOIDCProviderError, InvalidTarget } from 'oidc-provider/lib/helpers/errors.js';
import { Provider } from 'oidc-provider/lib/provider.js';
import { answerFailure } from './answer-failure.js';
import { answerSelfContainedTokens, type SelfContainedTokens } from './answer-self-contained-tokens.js';
import { createArtifactStore } from './artifact-store.js';
import { createClientStore } from './client-store.js';
import { createGrantStore } from './grant-store.js';
import { holderScopeMetadata, holderUuidMetadata, metadataText, personScope } from './holder-metadata.js';
import { interactionsOfLogin } from './login-interactions.js';
import { createPersonAccounts } from './person-accounts.js';
import type { SigningKey } from './signing-keys.js';
import { tellUnauthorizedClients } from './tell-unauthorized-clients.js';

export interface ProviderOptions extends SelfContainedTokens {
  readonly issuer: string;
  readonly audience: string;
  readonly clients: ClientAuthenticator;
  readonly tokenMinutes: number;
  /** Where codes of sign-ins may go. */
  readonly redirectUris: readonly string[];
  /** Origins whose pages may ask for tokens. */
  readonly corsOrigins: readonly string[];
  /** Where a request to the provider comes from. */
  readonly addressOf: (request: IncomingMessage) => string;
  readonly log: Log;
  readonly now: () => Date;
}

/** Only the client a token or artifact belongs to may ask for it or end it. */
const ownClient = (_ctx: KoaContextWithOIDC, client: Client, token: { readonly clientId?: string | undefined }) =>
  token.clientId === client.clientId;

/** One resource: this service. Access tokens for it are JWTs of RFC 9068. */
const resourceIndicators = (audience: string, tokenSeconds: number) => ({
  enabled: true,
  defaultResource: () => audience,
  useGrantedResource: () => true,
  getResourceServerInfo: (ctx: KoaContextWithOIDC, resource: string, client: Client) => {
    if (resource !== audience) throw new InvalidTarget();
    const scope = metadataText(client, holderScopeMetadata) ?? '';
    // a client that asks for itself without a scope gets its whole scope (RFC 6749 section 3.3)
    if (ctx.oidc.params?.['grant_type'] === 'client_credentials') ctx.oidc.params['scope'] ??= scope;
    return {
      scope,
      audience,
      accessTokenFormat: 'jwt' as const,
      accessTokenTTL: tokenSeconds,
      jwt: { sign: { alg: 'ES256' as const } },
    };
  },
});

/** How long a browser stays signed in without being used. */
const sessionSeconds = 12 * 3600;
/** How long a sign-in lasts with refresh tokens. */
const refreshSeconds = 14 * 86_400;

/** Signing in is consent: the only client is the service's own. */
const loadGrant = async ({ oidc }: KoaContextWithOIDC, audience: string): Promise<Grant | undefined> => {
  const { client, session, provider } = oidc;
  if (client === undefined || session?.accountId === undefined) return undefined;
  const grantId = session.grantIdFor(client.clientId);
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  if (known !== undefined) return known;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope('openid profile email offline_access');
  grant.addResourceScope(audience, personScope);
  await grant.save();
  return grant;
};

const createConfiguration = (options: ProviderOptions, keys: readonly SigningKey[]): Configuration => {
  const { audience, database, clients, directory, tokenMinutes, redirectUris, corsOrigins, now } = options;
  const tokenSeconds = tokenMinutes * 60;
  return {
    adapter: (model) => {
      const artifacts = createArtifactStore(database, model, now);
      if (model === 'Client') return createClientStore(clients, artifacts, redirectUris);
      return model === 'Grant' ? createGrantStore({ artifacts, directory, tokenSeconds, now }) : artifacts;
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
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientBasedCORS: (_ctx, origin) => corsOrigins.includes(origin),
    extraClientMetadata: { properties: [holderUuidMetadata, holderScopeMetadata] },
    scopes: ['openid', 'offline_access'],
    claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email'] },
    // there is no userinfo endpoint: the ID token says it all
    conformIdTokenClaims: false,
    findAccount: createPersonAccounts({ database, directory, now }),
    interactions: interactionsOfLogin,
    loadExistingGrant: (ctx) => loadGrant(ctx, audience),
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // signing out ends the grants of a session, see `endSession`; its end by time does not
    expiresWithSession: () => false,
    rotateRefreshToken: true,
    responseTypes: ['code'],
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    ttl: {
      ClientCredentials: tokenSeconds,
      AccessToken: tokenSeconds,
      IdToken: tokenSeconds,
      AuthorizationCode: 60,
      Interaction: 600,
      Session: sessionSeconds,
      RefreshToken: refreshSeconds,
      Grant: refreshSeconds,
    },
    renderError: (ctx, answer) => {
      ctx.type = 'json';
      ctx.body = answer;
    },
    formats: {
      customizers: {
        jwt: (ctx, token, jwt) => {
          const holderUuid = metadataText(ctx.oidc.client, holderUuidMetadata);
          if (holderUuid !== undefined) jwt.payload['sub'] = holderUuid;
          if ('grantId' in token) jwt.payload['grant_id'] = token.grantId;
        },
      },
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      // no door would check the proof of a token that is bound to a key
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
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
  provider.use(tellUnauthorizedClients as Parameters<ProviderInstance['use']>[0]);
  provider.use(answerSelfContainedTokens(options, answerFailure(log)) as Parameters<ProviderInstance['use']>[0]);
  Object.assign(provider.Client.prototype, {
    async compareClientSecret(this: Client, secret: string): Promise<boolean> {
      const ctx = Provider.ctx;
      try {
        const address = ctx === undefined ? '' : options.addressOf(ctx.req);
        return (await clients.authenticate(this.clientId, secret, address)) !== undefined;
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'RATE_LIMITED') throw error;
        ctx?.set('Retry-After', String(error.details['retryAfterSeconds']));
        throw Object.assign(new CustomOIDCProviderError('slow_down', error.message), { status: 429, statusCode: 429 });
      }
    },
  });
  provider.on('server_error', answerFailure(log));
  return provider;
};
