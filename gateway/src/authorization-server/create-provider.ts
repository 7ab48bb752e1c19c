import type { IncomingMessage } from 'node:http';
import { AppError } from '@fds/errors';
import type { AuthenticatedClient, ClientAuthenticator } from '@fds/identity';
import type { Log } from '@fds/service';
import type {
  Adapter,
  Client,
  Configuration,
  Grant,
  KoaContextWithOIDC,
  Provider as ProviderInstance,
} from 'oidc-provider';
import { CustomOIDCProviderError, InvalidScope, InvalidTarget } from 'oidc-provider/lib/helpers/errors.js';
import { Provider } from 'oidc-provider/lib/provider.js';
import { answerFailure } from './answer-failure.js';
import { answerSelfContainedTokens, type SelfContainedTokens } from './answer-self-contained-tokens.js';
import { createArtifactStore } from './artifact-store.js';
import { createClientStore } from './client-store.js';
import { epochOfGrant, newGrantId } from './grant-id.js';
import { createGrantStore } from './grant-store.js';
import { holderScopeMetadata, holderUuidMetadata, metadataText, personScope } from './holder-metadata.js';
import { commandLineClientId } from './login-client.js';
import { interactionsOfLogin } from './login-interactions.js';
import { createInteractionStore } from './interaction-store.js';
import { createPersonAccounts, epochOfSignIn } from './person-accounts.js';
import { createSessionStore } from './session-store.js';
import type { SigningKey } from './signing-keys.js';
import { tellUnauthorizedClients } from './tell-unauthorized-clients.js';
import { reportSignIns } from './report-sign-ins.js';

export interface ProviderOptions extends SelfContainedTokens {
  readonly issuer: string;
  readonly audience: string;
  readonly clients: ClientAuthenticator;
  readonly tokenMinutes: number;
  /** Addresses to which a sign-in may return a code. */
  readonly redirectUris: readonly string[];
  /** Origins whose pages may request tokens. */
  readonly corsOrigins: readonly string[];
  /** The secrets that the Basic header of a request may mean; undefined without one. */
  readonly meantSecretsOf: (request: IncomingMessage) => readonly string[] | undefined;
  /** Called when the sign-ins in progress reach a limit. */
  readonly onTooManySignIns?: (() => void) | undefined;
  readonly log: Log;
  readonly now: () => Date;
}

/** Only the client that a token or artifact belongs to may introspect or revoke it. */
const ownClient = (_ctx: KoaContextWithOIDC, client: Client, token: { readonly clientId?: string | undefined }) =>
  token.clientId === client.clientId;

/** Scopes of a sign-in: they decide what an ID token says, and whether there is a refresh token. */
const signInScopes: ReadonlySet<string> = new Set(['openid', 'profile', 'email', 'offline_access']);

/**
 * Refuses scopes that do not exist for the client, and grants the scope of its tokens, named or not (RFC 6749 section
 * 3.3). The answer names the scope that was granted. A token is not divisible: permissions decide what it may do.
 *
 * @throws InvalidScope
 */
const grantScope = (ctx: KoaContextWithOIDC, holderScope: string): void => {
  const { params, route } = ctx.oidc;
  const isProgram = params?.['grant_type'] === 'client_credentials';
  if (params === undefined || !(isProgram || route === 'authorization')) return;
  const given = typeof params['scope'] === 'string' ? params['scope'] : '';
  const requested = given.split(' ').filter((name) => name !== '');
  const unknown = requested.filter((name) => name !== holderScope && !signInScopes.has(name));
  if (unknown.length > 0) throw new InvalidScope('a requested scope does not exist for this client', unknown.join(' '));
  // scopes of a sign-in mean nothing to a program
  params['scope'] = isProgram ? holderScope : [...new Set([...requested, holderScope])].join(' ');
};

/** The door for programs of language models (RFC 9728). */
const mcpResourceOf = (issuer: string): string => `${issuer}/mcp`;

/** The resources are the doors of this service. Their access tokens are JWTs of RFC 9068. */
const resourceIndicators = (audience: string, issuer: string, tokenSecondsOf: (ctx: KoaContextWithOIDC) => number) => ({
  enabled: true,
  defaultResource: () => audience,
  useGrantedResource: () => true,
  getResourceServerInfo: (ctx: KoaContextWithOIDC, resource: string, client: Client) => {
    if (resource !== audience && resource !== mcpResourceOf(issuer)) throw new InvalidTarget();
    const scope = metadataText(client, holderScopeMetadata) ?? '';
    grantScope(ctx, scope);
    return {
      scope,
      audience: resource,
      accessTokenFormat: 'jwt' as const,
      accessTokenTTL: tokenSecondsOf(ctx),
      jwt: { sign: { alg: 'ES256' as const } },
    };
  },
});

/** Time that a browser stays signed in without a request. */
const sessionSeconds = 12 * 3600;
/** Time that a sign-in with refresh tokens lasts. */
const refreshSeconds = 14 * 86_400;

/** Signing in counts as consent, because the only clients belong to the service itself. */
const loadGrant = async (ctx: KoaContextWithOIDC, resources: readonly string[]): Promise<Grant | undefined> => {
  const { client, session, provider } = ctx.oidc;
  if (client === undefined || session?.accountId === undefined) return undefined;
  // a command line gets no grant without the password, see `interactionsOfLogin`
  if (client.clientId === commandLineClientId && ctx.oidc.result?.login === undefined) return undefined;
  const grantId = session.grantIdFor(client.clientId);
  const epoch = epochOfSignIn(ctx) ?? epochOfGrant(grantId ?? '');
  const known =
    grantId === undefined || epochOfGrant(grantId) !== epoch ? undefined : await provider.Grant.find(grantId);
  if (known !== undefined) return known;
  const { clientId } = client;
  const grant = new provider.Grant({ clientId, accountId: session.accountId });
  grant.jti = newGrantId(epoch);
  grant.addOIDCScope('openid profile email offline_access');
  for (const resource of resources) grant.addResourceScope(resource, personScope);
  await grant.save();
  return grant;
};

/** The authenticated client of each request. */
type Authenticated = WeakMap<IncomingMessage, AuthenticatedClient>;

const createStores = (options: ProviderOptions): ((model: string) => Adapter) => {
  const { database, clients, directory, tokenMinutes, redirectUris, addressOf, onTooManySignIns, now } = options;
  const artifactsOf = (model: string): Adapter => createArtifactStore({ database, model, now, endGrant });
  const grants = (): Adapter =>
    createGrantStore({ artifacts: artifactsOf('Grant'), directory, tokenSeconds: tokenMinutes * 60, now });
  const endGrant = async (grantId: string): Promise<void> => {
    await artifactsOf('RefreshToken').revokeByGrantId(grantId);
    await grants().destroy(grantId);
  };
  const currentAddress = (): string => (Provider.ctx === undefined ? '' : addressOf(Provider.ctx.req));
  return (model) => {
    const artifacts = artifactsOf(model);
    switch (model) {
      case 'Client':
        return createClientStore(clients, artifacts, redirectUris);
      case 'Grant':
        return grants();
      case 'Interaction':
        return createInteractionStore({ database, artifacts, currentAddress, onBoundHit: onTooManySignIns });
      case 'Session':
        return createSessionStore(artifacts);
      default:
        return artifacts;
    }
  };
};

const createConfiguration = (
  options: ProviderOptions,
  keys: readonly SigningKey[],
  authenticated: Authenticated,
): Configuration => {
  const { audience, issuer, database, directory, tokenMinutes, corsOrigins, now } = options;
  const tokenSeconds = tokenMinutes * 60;
  const tokenSecondsOf = ({ req }: KoaContextWithOIDC): number => {
    const { tokensUntil } = authenticated.get(req) ?? {};
    if (tokensUntil === undefined) return tokenSeconds;
    return Math.max(1, Math.min(tokenSeconds, Math.floor((tokensUntil.getTime() - now().getTime()) / 1000)));
  };
  return {
    adapter: createStores(options),
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
    // there is no userinfo endpoint: the ID token has all claims
    conformIdTokenClaims: false,
    findAccount: createPersonAccounts({ database, directory, now }),
    interactions: interactionsOfLogin,
    loadExistingGrant: (ctx) => loadGrant(ctx, [audience, mcpResourceOf(issuer)]),
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // signing out ends the grants of a session, see `endSession`; its expiry does not
    expiresWithSession: () => false,
    rotateRefreshToken: true,
    responseTypes: ['code'],
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    ttl: {
      ClientCredentials: tokenSecondsOf,
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
          const grantId = 'grantId' in token ? token.grantId : undefined;
          if (grantId !== undefined) jwt.payload['grant_id'] = grantId;
          jwt.payload['token_epoch'] =
            grantId === undefined ? authenticated.get(ctx.req)?.tokenEpoch : epochOfGrant(grantId);
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
      resourceIndicators: resourceIndicators(audience, issuer, tokenSecondsOf),
    },
  };
};

/**
 * The OpenID Connect provider for one set of keys. The keys never change; a rotation creates a new provider.
 *
 * @param keys the first key signs, and all are published
 */
export const createProvider = (options: ProviderOptions, keys: readonly SigningKey[]): ProviderInstance => {
  const { issuer, clients, log } = options;
  const authenticated: Authenticated = new WeakMap();
  const provider = new Provider(issuer, createConfiguration(options, keys, authenticated));
  // addresses in answers start with the issuer, regardless of the host name that the caller used, see `register`
  provider.proxy = true;
  provider.use(tellUnauthorizedClients as Parameters<ProviderInstance['use']>[0]);
  provider.use(answerSelfContainedTokens(options, answerFailure(log)) as Parameters<ProviderInstance['use']>[0]);
  if (options.onSignIn !== undefined) reportSignIns(provider, options.addressOf, options.onSignIn);
  Object.assign(provider.Client.prototype, {
    async compareClientSecret(this: Client, secret: string): Promise<boolean> {
      const ctx = Provider.ctx;
      try {
        const address = ctx === undefined ? '' : options.addressOf(ctx.req);
        const meant = ctx === undefined ? undefined : options.meantSecretsOf(ctx.req);
        const client = await clients.authenticate(this.clientId, meant ?? [secret], address);
        if (client !== undefined && ctx !== undefined) authenticated.set(ctx.req, client);
        return client !== undefined;
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
