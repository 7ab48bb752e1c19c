import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCursorSealer, createSealer, type Principal } from '@fds/auth';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { bootstrapIdentity, holderExists, openIdentityDirectory, type IdentityDirectory } from '@fds/identity';
import { createLog, type Closable } from '@fds/service';
import { createWebhookSender, defaultRetrySchedule, everyTarget } from '@fds/webhook-client';
import { graphql } from 'graphql';
import { v7 as newUuid } from 'uuid';
import { createNotificationsSubgraph, type NotificationsDependencies } from '../create-notifications-subgraph.js';

/** The part of an answer that tests read. */
interface Answer<T> {
  /** The value of the field called `result`. */
  readonly result: T;
  readonly code: string | undefined;
  /** `pointer code` of every cause. */
  readonly causes: readonly string[];
}

type ChangedDependencies = Partial<Omit<NotificationsDependencies, 'delivery'>> & {
  readonly delivery?: Partial<NotificationsDependencies['delivery']>;
};

/** Notifications on a real database, with the two users of a first start. */
export interface TestNotifications {
  readonly database: TestDatabase;
  readonly directory: IdentityDirectory;
  readonly rootZoneUuid: string;
  /** Bounds that were reached. */
  readonly hits: readonly string[];
  /** Starts another process on the same database. */
  startAnother(changed?: ChangedDependencies): Promise<Closable>;
  as(username: string): Promise<Principal>;
  /** Runs an operation as a person. */
  run<T>(username: string, source: string, variables?: object): Promise<Answer<T>>;
  /** Runs an operation as a principal whom the directory may no longer know. */
  runAs<T>(principal: Principal, source: string, variables?: object): Promise<Answer<T>>;
  close(): Promise<void>;
}

const now = (): Date => new Date();

/**
 * @param changed dependencies that differ from the defaults of a deployment
 * @param timeoutMs of an attempt
 */
export const openNotifications = async ({
  timeoutMs = 15_000,
  ...changed
}: ChangedDependencies & { readonly timeoutMs?: number } = {}): Promise<TestNotifications> => {
  const database = await openTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'fds-notifications-'));
  const { rootZoneUuid } = await bootstrapIdentity({ database, dataDir, now, newUuid });
  const log = createLog('silent');
  const directory = await openIdentityDirectory({ database, log, now });
  const hits: string[] = [];
  const sender = createWebhookSender({ rule: everyTarget, timeoutMs });
  const dependencies: NotificationsDependencies = {
    database,
    sealer: createSealer(randomBytes(32)),
    cursors: createCursorSealer(randomBytes(32)),
    now,
    newUuid,
    targets: everyTarget,
    bounds: { registrationsPerUser: 100, registrationBytes: 65_536, totalBytes: 2 ** 20 },
    secretOverlapMs: 3_600_000,
    holderExists,
    onBoundHit: (bound) => hits.push(bound),
    sender,
    log,
    instanceUuid: newUuid(),
    findUser: (uuid) => directory.findPrincipal(uuid),
    ...changed,
    delivery: {
      enabled: true,
      baseUrl: 'https://service.example',
      schedule: defaultRetrySchedule,
      queueBounds: { messages: 100_000, bytes: 64 * 2 ** 20 },
      concurrency: 10,
      slowReceivers: 100,
      receiversPerHost: 8,
      leaseMs: 10_000,
      keptMs: 0,
      pruneMs: 600_000,
      ...changed.delivery,
    },
  };
  const subgraph = createNotificationsSubgraph(dependencies);
  await subgraph.start();

  const as = async (username: string): Promise<Principal> => {
    const { uuid } = await database.prisma.person.findUniqueOrThrow({ where: { username } });
    const principal = await directory.findPrincipal(uuid);
    if (principal === undefined) throw new Error(`${username} is unknown or inactive`);
    return principal;
  };

  const runAs = async <T>(principal: Principal, source: string, variables: object = {}): Promise<Answer<T>> => {
    const { data, errors = [] } = await graphql({
      schema: subgraph.schema,
      source,
      variableValues: { ...variables },
      contextValue: { principal, requestId: 'test' },
    });
    const [first] = errors;
    const causes = (first?.extensions['errors'] ?? []) as { readonly pointer: string; readonly code: string }[];
    return {
      result: data?.['result'] as T,
      code: first === undefined ? undefined : ((first.extensions['code'] as string | undefined) ?? first.message),
      causes: causes.map(({ pointer, code }) => `${pointer} ${code}`).sort(),
    };
  };

  return {
    database,
    directory,
    rootZoneUuid,
    hits,
    startAnother: async ({ delivery, ...others } = {}) => {
      const another = createNotificationsSubgraph({
        ...dependencies,
        ...others,
        instanceUuid: newUuid(),
        delivery: { ...dependencies.delivery, ...delivery },
      });
      await another.start();
      return another;
    },
    as,
    runAs,
    run: async <T>(username: string, source: string, variables?: object) =>
      runAs<T>(await as(username), source, variables),
    close: async () => {
      await subgraph.close();
      await sender.close();
      await directory.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
