import { randomUUID as newUuid } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCursorSealer, createSealer } from '@fds/auth';
import { createGatewayProofs } from '../subgraph-server/gateway-proof.js';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import {
  createAuthenticator,
  type Authenticator,
  type CheckQueue,
  createCheckQueue,
  bootstrapIdentity,
  openIdentityDirectory,
  type IdentityDirectory,
} from '@fds/identity';
import { createLog } from '@fds/service';
import { createAdmission } from '../admission/index.js';
import { openSignInAudit } from '../audit/index.js';
import { createAuthorizationServer, type AuthorizationServer } from '../authorization-server/index.js';
import { createApplication } from '../composition/doors/application.js';
import { bindServer } from '../http/bound-server.js';
import { acceptedBy, createExternalSignIn } from '../composition/external-sign-in.js';
import { createServiceMetrics } from '../http/service-metrics.js';
import { loadServiceSettings } from '../composition/settings/service-settings.js';
import { serveLogin } from '../composition/doors/serve-login.js';

/** A server with sign-in, on a real database. */
export interface OpenedLogin {
  readonly baseUrl: string;
  readonly database: TestDatabase;
  readonly directory: IdentityDirectory;
  readonly authenticator: Authenticator;
  readonly authorizationServer: AuthorizationServer;
  readonly rootZoneUuid: string;
  /** Advances the clock by milliseconds. */
  advance(ms: number): void;
  close(): Promise<void>;
}

export const adminPassword = 'the password of the admin';

/**
 * @param environment settings of the service
 * @param passwordQueue where passwords are hashed
 */
export const openLogin = async (
  environment: Readonly<Record<string, string>> = {},
  passwordQueue: CheckQueue = createCheckQueue({ maxRunning: 2, maxWaiting: 256, maxWaitingOfAddress: 64 }),
): Promise<OpenedLogin> => {
  let offsetMs = 0;
  const now = (): Date => new Date(Date.now() + offsetMs);
  const log = createLog('silent');
  const settings = loadServiceSettings(environment);
  const database = await openTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'fds-login-'));
  const { rootZoneUuid } = await bootstrapIdentity({ database, adminPassword, dataDir, now, newUuid });
  const sealer = createSealer(Buffer.alloc(32, 7));
  const directory = await openIdentityDirectory({ database, log, now });
  const bound = await bindServer('127.0.0.1', 0);
  const baseUrl = `http://127.0.0.1:${bound.port}`;
  const { tokenMinutes, redirectUris, corsOrigins } = settings;
  const signIns = openSignInAudit({ database, log, now, flushMs: 20 });
  const { record: onSignIn } = signIns;
  const authorizationServer = await createAuthorizationServer({
    issuer: baseUrl,
    database,
    sealer,
    directory,
    tokenMinutes,
    redirectUris,
    corsOrigins,
    passwordQueue,
    onSignIn,
    log,
    now,
  });
  const external = createExternalSignIn(settings, baseUrl, now);
  const verifier = acceptedBy(authorizationServer.verifier, external);
  const authenticator = createAuthenticator({ verifier, directory });
  const admission = createAdmission({ authenticator, rateLimiter: undefined });
  const metrics = createServiceMetrics();
  const { app, open } = createApplication(bound, { baseUrl, settings, metrics: metrics.traffic, log });
  await authorizationServer.register(app, admission.admitAnyone);
  const proofs = createGatewayProofs(Buffer.alloc(32, 7), now);
  const platform = {
    database,
    sealer,
    cursors: createCursorSealer(Buffer.alloc(32, 7)),
    proofs,
    directory,
    passwordQueue,
    passwordFiles: [],
    readSnapshot: () => {
      throw new Error('this deployment signs people in only');
    },
    metrics,
    log,
    now,
    newUuid,
  };
  const externalProvider = external?.provider;
  await serveLogin(app, { settings, platform, baseUrl, authorizationServer, externalProvider, admission, onSignIn });
  await open();
  return {
    baseUrl,
    database,
    directory,
    authenticator,
    authorizationServer,
    rootZoneUuid,
    advance: (ms) => {
      offsetMs += ms;
    },
    close: async () => {
      await app.close();
      await bound.close();
      await signIns.close();
      await directory.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
