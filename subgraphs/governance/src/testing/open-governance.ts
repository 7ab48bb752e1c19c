import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSealer, hashSecret, type Principal } from '@fds/auth';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import {
  createCheckQueue,
  bootstrapIdentity,
  createManagedRoles,
  openIdentityDirectory,
  type IdentityDirectory,
} from '@fds/identity';
import { compileEndpoints, type EndpointPermission } from '@fds/access-rules';
import { createLog } from '@fds/service';
import { graphql } from 'graphql';
import { v7 as newUuid } from 'uuid';
import { createGovernanceSubgraph } from '../create-governance-subgraph.js';

/** The part of an answer that a test compares. */
export interface Answer<T> {
  /** The value of the field called `result`. */
  readonly result: T;
  readonly code: string | undefined;
  /** `pointer code` of every cause. */
  readonly causes: readonly string[];
}

/** Governance on a real database, with the two users of a first start, and the directory of a second process. */
export interface TestGovernance {
  readonly database: TestDatabase;
  readonly rootZoneUuid: string;
  /** People in the view of this process. */
  readonly directory: IdentityDirectory;
  /** People in the view of another process. */
  readonly elsewhere: IdentityDirectory;
  /** Returns the current principal of a person. */
  as(username: string, directory?: IdentityDirectory): Promise<Principal>;
  /** Runs an operation as a person. */
  run<T>(username: string, source: string, variables?: object): Promise<Answer<T>>;
  createZone(name: string, parentZoneUuid: string): Promise<string>;
  close(): Promise<void>;
}

const now = (): Date => new Date();

/** @param endpoints of the API; without them, a caller needs a grant for every path of a pattern */
export const openGovernance = async (endpoints: readonly EndpointPermission[] = []): Promise<TestGovernance> => {
  const database = await openTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'fds-governance-'));
  const { rootZoneUuid } = await bootstrapIdentity({ database, dataDir, now, newUuid });
  const log = createLog('silent');
  const directory = await openIdentityDirectory({ database, log, now });
  const elsewhere = await openIdentityDirectory({ database, log, now });
  const passwords = createCheckQueue({ maxRunning: 1, maxWaiting: 8, maxWaitingOfAddress: 2 });
  const subgraph = createGovernanceSubgraph({
    database,
    now,
    newUuid,
    forgetHolders: () => directory.forget(),
    forgetPerson: [],
    endpoints: compileEndpoints(endpoints),
    hasProvider: true,
    sealer: createSealer(Buffer.alloc(32)),
    carryOut: () => Promise.reject(new TypeError('no test of this file plans')),
    planMinutes: 60,
    hashSecret: (secret, { uuid }) => passwords.run(uuid, () => hashSecret(secret)),
  });

  const as = async (username: string, from = directory): Promise<Principal> => {
    const { uuid: sub } = await database.prisma.person.findUniqueOrThrow({ where: { username } });
    const iat = Math.floor(Date.now() / 1000) + 1;
    return from.principalOf({ iss: 'fds', sub, client_id: username, iat, exp: iat + 60, jti: newUuid() });
  };

  return {
    database,
    rootZoneUuid,
    directory,
    elsewhere,
    as,
    run: async <T>(username: string, source: string, variables: object = {}) => {
      const { data, errors = [] } = await graphql({
        schema: subgraph.schema,
        source,
        variableValues: { z: rootZoneUuid, ...variables },
        contextValue: { principal: await as(username), requestId: 'test' },
      });
      const [first] = errors;
      const causes = (first?.extensions['errors'] ?? []) as { readonly pointer: string; readonly code: string }[];
      return {
        result: data?.['result'] as T,
        code: first === undefined ? undefined : ((first.extensions['code'] as string | undefined) ?? first.message),
        causes: causes.map(({ pointer, code }) => `${pointer} ${code}`).sort(),
      };
    },
    createZone: async (name, parentZoneUuid) => {
      const zoneUuid = newUuid();
      await database.prisma.$transaction(async (tx) => {
        await tx.zone.create({ data: { uuid: zoneUuid, name, parentZoneUuid } });
        await createManagedRoles(tx, { zoneUuid, parentZoneUuid }, { newUuid });
      });
      directory.forget();
      return zoneUuid;
    },
    close: async () => {
      await subgraph.close();
      await directory.close();
      await elsewhere.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
