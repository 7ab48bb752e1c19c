import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Admission } from '../../admission/index.js';
import {
  loginClientId,
  loginScope,
  type AuthorizationServer,
  type ReportSignIn,
} from '../../authorization-server/index.js';
import {
  createEmbeddedProvider,
  createLoginCodes,
  createOpenidRoutes,
  createPendingLogins,
  createRedirectRule,
  type SignInProvider,
} from '../../login/index.js';
import type { Platform } from '../open-platform.js';
import type { ServiceSettings } from '../settings/service-settings.js';

export interface LoginOptions {
  readonly settings: ServiceSettings;
  readonly platform: Platform;
  readonly baseUrl: string;
  readonly authorizationServer: AuthorizationServer;
  /** Undefined when people sign in at the embedded provider. */
  readonly externalProvider: SignInProvider | undefined;
  readonly admission: Admission;
  readonly onSignIn: ReportSignIn;
}

/** Serves the sign-in of people, at the embedded or the external provider. */
export const serveLogin = async (app: FastifyInstance, options: LoginOptions): Promise<void> => {
  const { settings, platform, baseUrl, authorizationServer, externalProvider, admission, onSignIn } = options;
  const { database, sealer, log, now } = platform;
  const { fetch, endSession } = authorizationServer;
  const report =
    (way: 'EXTERNAL_PROVIDER' | 'LOGOUT', resource: string) =>
    (actorUuid: string, { ip: address, headers }: FastifyRequest): void =>
      onSignIn({ actorUuid, way, resource, address, userAgent: headers['user-agent'] });
  await app.register(
    createOpenidRoutes({
      baseUrl,
      provider:
        externalProvider ??
        createEmbeddedProvider({ issuer: baseUrl, fetch, clientId: loginClientId, scope: loginScope }),
      pendingLogins: createPendingLogins(sealer, now, baseUrl.startsWith('https:')),
      codes: createLoginCodes(database, sealer, now),
      mayLeadTo: createRedirectRule(baseUrl, settings.redirectUris),
      admission,
      endSession,
      // the embedded provider reports its own sign-ins
      onSignedIn: externalProvider && report('EXTERNAL_PROVIDER', '/openid/code'),
      onSignedOut: report('LOGOUT', '/openid/logout'),
      log,
    }),
  );
};
