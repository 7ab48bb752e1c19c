import { createCursorSealer, createSealer, loadDeploymentKey, type CursorSealer, type Sealer } from '@fds/auth';
import { bootstrapCatalog } from '@fds/catalog';
import type { WrittenEntry } from '@fds/backup-format';
import { openDatabase, readSnapshot, type Database } from '@fds/database';
import {
  checkLimitsOf,
  type CheckQueue,
  createCheckQueue,
  bootstrapIdentity,
  type IdentityDirectory,
  openIdentityDirectory,
} from '@fds/identity';
import { createUuids, type Lifetime, type Log } from '@fds/service';
import { createServiceMetrics, type ServiceMetrics } from '../http/service-metrics.js';
import { createGatewayProofs, type GatewayProofs } from '../subgraph-server/gateway-proof.js';
import { openIdleCollector } from '../memory/index.js';
import { migrateDatabase } from './startup/migrate-database.js';
import { nameUnusableFiles } from './startup/name-unusable-files.js';
import { readHubFiles, requireWholeRestore } from './restore/hub-files.js';
import { openDataDir } from './startup/open-data-dir.js';
import { startEmbeddedDatabase } from './startup/start-embedded-database.js';
import { serviceVersion } from './service-version.js';
import type { ServiceSettings } from './settings/service-settings.js';

/** Resources that every process has, with any selection of parts. */
export interface Platform {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly cursors: CursorSealer;
  /** Proofs for requests between the gateway and parts in other processes. */
  readonly proofs: GatewayProofs;
  readonly directory: IdentityDirectory;
  /** Hashes every password of the process. */
  readonly passwordQueue: CheckQueue;
  /** Files of generated passwords, from this start or an earlier one. */
  readonly passwordFiles: readonly string[];
  /** Reads everything that the hub knows, as it was at one moment. */
  readonly readSnapshot: (signal: AbortSignal) => AsyncGenerator<WrittenEntry>;
  readonly metrics: ServiceMetrics;
  readonly log: Log;
  readonly now: () => Date;
  readonly newUuid: () => string;
}

/** URL of the migrated database: from the setting, or of the embedded database. */
const startDatabase = async (
  settings: ServiceSettings,
  dataDir: string,
  lifetime: Lifetime,
  log: Log,
): Promise<string> => {
  const url = settings.databaseUrl?.reveal();
  if (url === undefined) return startEmbeddedDatabase(dataDir, lifetime, log);
  await migrateDatabase(url);
  return url;
};

/** Opens the database, migrates it, and creates the initial content of a new deployment. The lifetime closes everything. */
export const openPlatform = async (settings: ServiceSettings, lifetime: Lifetime, log: Log): Promise<Platform> => {
  if (settings.idleCollectMib > 0)
    lifetime.own(openIdleCollector({ minGrowthBytes: settings.idleCollectMib * 2 ** 20, log }));
  const dataDir = await openDataDir(settings.dataDir);
  await requireWholeRestore(dataDir);
  const now = (): Date => new Date();
  const newUuid = createUuids(Date.now);
  const url = await startDatabase(settings, dataDir, lifetime, log);
  const metrics = createServiceMetrics({ maxAdaptors: settings.metricsAdaptors });
  const database = lifetime.own(
    openDatabase({
      url,
      maxConnections: settings.databaseConnections,
      searchBounds: {
        maxRunning: settings.searchConnections,
        maxRunningPerCaller: settings.searchesPerCaller,
        maxWaitingPerCaller: settings.searchesWaiting,
        timeoutMs: settings.searchSeconds * 1000,
        maxAnswerBytes: settings.answerMaxBytes,
      },
      readTimeoutMs: settings.readSeconds * 1000,
      onBoundHit: metrics.countBoundHit,
      onPoolWait: metrics.noteDatabaseWait,
      applicationName: 'fds',
    }),
  );
  const passwordQueue = createCheckQueue({
    ...checkLimitsOf({ maxRunningChecks: settings.passwordChecks, maxWaitingChecks: settings.passwordChecksWaiting }),
    onExceeded: () => metrics.countBoundHit('password_checks'),
  });
  const secretKey = settings.secretKey?.reveal();
  const key = await nameUnusableFiles(dataDir, () => loadDeploymentKey({ dataDir, secretKey }));
  const [sealer, cursors, proofs] = [createSealer(key), createCursorSealer(key), createGatewayProofs(key, now)];
  const { passwordFiles, weakPasswords } = await nameUnusableFiles(dataDir, () =>
    bootstrapIdentity({
      database,
      dataDir,
      adminPassword: settings.adminPassword?.reveal(),
      dgsPassword: settings.dgsPassword?.reveal(),
      now,
      newUuid,
    }),
  );
  for (const username of weakPasswords) {
    log.warn({ username }, 'the given first password is easy to guess: change it before others can reach the service');
  }
  await bootstrapCatalog({ database, now, newUuid });
  const directory = lifetime.own(await openIdentityDirectory({ database, log, now }));
  const snapshotOf = (signal: AbortSignal): AsyncGenerator<WrittenEntry> =>
    readSnapshot({ url, version: serviceVersion(), files: () => readHubFiles(key, passwordFiles), signal });
  return {
    readSnapshot: snapshotOf,
    database,
    sealer,
    cursors,
    proofs,
    directory,
    passwordQueue,
    passwordFiles,
    metrics,
    log,
    now,
    newUuid,
  };
};
