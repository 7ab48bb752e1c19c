import type { IncomingMessage, ServerResponse } from 'node:http';
import { createTokenVerifier, type Sealer, type TokenVerifier } from '@fds/auth';
import type { Database } from '@fds/database';
import {
  createClientAuthenticator,
  type ClientAuthenticator,
  type ClientAuthenticatorOptions,
  type IdentityDirectory,
} from '@fds/identity';
import type { Log } from '@fds/service';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { JSONWebKeySet, JWK } from 'jose';
import type { Provider } from 'oidc-provider';
import requestStore from 'oidc-provider/lib/helpers/als.js';
import type { Admission } from '../admission/index.js';
import { endSession, type EndedSession } from './end-session.js';
import { keepStoreForRequests } from './keep-store-for-requests.js';
import { addLoginRoutes } from './login-routes.js';
import { addProviderRoutes } from './provider-routes.js';
import type { ReportSignIn } from './report-sign-ins.js';
import { createProviderFetch, type ProviderFetch } from './provider-fetch.js';
import { createSigningKeys, type SigningKey } from './signing-keys.js';

/** The embedded OAuth 2.0 authorization server (docs/reference/login.md#tokens). */
export interface AuthorizationServer {
  /** `aud` of its access tokens. */
  readonly audience: string;
  /** Verifies its access tokens with its own keys, without a request. */
  readonly verifier: TokenVerifier;
  /** Its clients: persons' own accounts and adaptors. */
  readonly clients: ClientAuthenticator;
  /**
   * Mounts `/oauth2/*` and the discovery documents.
   *
   * @param admitAnyone counts a request. @throws AppError RATE_LIMITED
   */
  register(server: FastifyInstance, admitAnyone?: Admission['admitAnyone']): Promise<void>;
  /** Calls it as a client would, but without the network. */
  readonly fetch: ProviderFetch;
  /** See `endSession`. */
  endSession(request: IncomingMessage, response: ServerResponse): Promise<EndedSession | undefined>;
  /**
   * Publishes a new signing key if the latest is as old as `maxAgeMs`. The new key begins to sign a quarter of an hour
   * later, and no token becomes invalid. When several processes call at once, one of them publishes a key. @returns
   * whether this one did
   */
  rotateKeys(maxAgeMs: number): Promise<boolean>;
}

export interface AuthorizationServerOptions {
  /** Address that clients see, without a slash at the end. */
  readonly issuer: string;
  readonly database: Database;
  readonly sealer: Sealer;
  readonly directory: IdentityDirectory;
  /** Lifetime of access tokens. */
  readonly tokenMinutes: number;
  /** Addresses to which sign-ins may return a code, in addition to our own `/openid/code`. Default: nowhere. */
  readonly redirectUris?: readonly string[];
  /** Origins whose pages may request tokens, in addition to our own. Default: none. */
  readonly corsOrigins?: readonly string[];
  /** Slows down guessing. Default: one of this process. */
  readonly throttle?: ClientAuthenticatorOptions['throttle'];
  /** Called for every wrong secret and password, see `ClientAuthenticatorOptions`. */
  readonly onRefusedSecret?: ClientAuthenticatorOptions['onRefused'];
  /** Bounds of attempts with a password or secret, see `ClientAuthenticatorOptions`. */
  readonly attemptLimits?: ClientAuthenticatorOptions['limits'];
  /** Hashes passwords, see `ClientAuthenticatorOptions`. */
  readonly passwordQueue?: ClientAuthenticatorOptions['queue'];
  /** Called for every attempt that is refused because too many are in progress. */
  readonly onBusy?: ClientAuthenticatorOptions['onBusy'];
  /** Called when the sign-ins in progress reach a limit. */
  readonly onTooManySignIns?: (() => void) | undefined;
  /** Called for each successful sign-in with a password, issued token, revocation and sign-out. Must not throw. */
  readonly onSignIn?: ReportSignIn | undefined;
  readonly log: Log;
  readonly now: () => Date;
}

const withStore = keepStoreForRequests(requestStore);

const originOf = (url: string): string => new URL(url).origin;

const publicKeyOf = ({ jwk: { kty, crv, x, y, kid, alg, use } }: SigningKey): JWK => ({
  kty,
  crv,
  x,
  y,
  kid,
  alg,
  use,
});

/** Caches a value made from the latest keys, and makes it again when they change. */
const derive = <T>(make: (keys: readonly SigningKey[]) => T): ((keys: readonly SigningKey[]) => T) => {
  let made: { readonly keys: readonly SigningKey[]; readonly value: T } | undefined;
  return (keys) => {
    if (made?.keys !== keys) made = { keys, value: make(keys) };
    return made.value;
  };
};

/** Creates the authorization server. At the first start of a deployment it creates and stores the first signing key. */
export const createAuthorizationServer = async ({
  issuer,
  database,
  sealer,
  directory,
  tokenMinutes,
  redirectUris = [],
  corsOrigins = [],
  throttle,
  onRefusedSecret,
  attemptLimits,
  passwordQueue,
  onBusy,
  onTooManySignIns,
  onSignIn,
  log,
  now,
}: AuthorizationServerOptions): Promise<AuthorizationServer> => {
  const audience = `${issuer}/api`;
  const keys = createSigningKeys({ database, sealer, tokenMinutes, now });
  await keys.current();

  const keySetOf = derive((list): JSONWebKeySet => ({ keys: list.map(publicKeyOf) }));
  const verifier = createTokenVerifier({
    issuer,
    audiences: [audience, `${issuer}/mcp`],
    keys: async () => keySetOf(await keys.current()),
    now,
  });
  const clients = createClientAuthenticator({
    database,
    sealer,
    now,
    throttle,
    onRefused: onRefusedSecret,
    limits: attemptLimits,
    queue: passwordQueue,
    onBusy,
  });
  const addresses = new WeakMap<IncomingMessage, string>();
  const meantSecrets = new WeakMap<IncomingMessage, readonly string[]>();
  const options = {
    issuer,
    audience,
    database,
    clients,
    verifier,
    directory,
    tokenMinutes,
    log,
    now,
    redirectUris: [`${issuer}/openid/code`, `${issuer}/api/openid/code`, ...redirectUris],
    corsOrigins: [originOf(issuer), ...corsOrigins.map(originOf)],
    addressOf: (request: IncomingMessage) => addresses.get(request) ?? '',
    meantSecretsOf: (request: IncomingMessage) => meantSecrets.get(request),
    onTooManySignIns,
    onSignIn,
  };
  // the provider is as large as the rest of the server: a process that issues no token does not load it
  const providerOf = derive(async (list): Promise<{ provider: Provider; handle: ReturnType<Provider['callback']> }> => {
    const { createProvider } = await import('./create-provider.js');
    const provider = createProvider(options, list);
    return { provider, handle: withStore(provider.callback()) };
  });
  const currentProvider = async (): Promise<Provider> => (await providerOf(await keys.current())).provider;
  const currentHandler = async (): Promise<ReturnType<Provider['callback']>> =>
    (await providerOf(await keys.current())).handle;

  const register = async (
    server: FastifyInstance,
    admitAnyone?: Admission['admitAnyone'],
    addressOfRequest: (request: FastifyRequest) => string = ({ ip }) => ip,
  ): Promise<void> => {
    const countRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
      admitAnyone?.(request, reply);
    await server.register(async (scope) => {
      scope.addHook('onRequest', countRequest);
      addProviderRoutes(scope, {
        issuer,
        addresses,
        addressOf: addressOfRequest,
        meantSecrets,
        checksOf: (address) => ({
          isClient: async (clientId) => (await clients.find(clientId)) !== undefined,
          isSecret: async ({ id, secret }) => (await clients.authenticate(id, [secret], address)) !== undefined,
        }),
        log,
        currentHandler,
      });
    });
    await server.register(async (scope) => {
      scope.addHook('onRequest', countRequest);
      const formTargets = [...new Set(redirectUris.map(originOf))];
      addLoginRoutes(scope, { currentProvider, clients, formTargets, onSignIn, log });
    });
  };

  return {
    audience,
    verifier,
    clients,
    register: (server, admitAnyone) => register(server, admitAnyone),
    fetch: createProviderFetch(async () => {
      const app = fastify();
      await register(app, undefined, () => '');
      return app;
    }),
    endSession: async (request, response) => endSession(await currentProvider(), request, response),
    rotateKeys: (maxAgeMs) => keys.rotate(maxAgeMs),
  };
};
