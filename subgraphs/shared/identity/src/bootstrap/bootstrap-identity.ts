import { basename } from 'node:path';
import { hashSecret, verifySecret } from '@fds/auth';
import type { Database, PrismaTransaction } from '@fds/database';
import { createRootZone } from '@fds/owned-tables';
import { createManagedRole, createManagedRoles } from '../zones/create-managed-roles.js';
import { weakPasswordFault } from '../passwords/weak-password.js';
import { findPasswordFiles, openFirstPassword } from './first-password.js';
import type { IdentityWriter } from '../identity-writer.js';
import { joinRole } from '../zones/join-role.js';
import { managedRoleNames } from '../managed-roles.js';

export interface BootstrapIdentityOptions {
  readonly database: Database;
  /** Password of `admin` at first start; generated when absent. */
  readonly adminPassword?: string | undefined;
  /** Password of `dgs` at first start; generated when absent. */
  readonly dgsPassword?: string | undefined;
  /** Folder for generated passwords, `admin.password` and `dgs.password`. */
  readonly dataDir: string;
  readonly now: () => Date;
  readonly newUuid: () => string;
}

export interface BootstrappedIdentity {
  readonly rootZoneUuid: string;
  /** Did this call create the zone and users? */
  readonly firstStart: boolean;
  /** Files of generated passwords, from this start or an earlier one. */
  readonly passwordFiles: readonly string[];
  /** First users whose given password is too easy to guess. */
  readonly weakPasswords: readonly string[];
}

const rootZoneName = 'Root';
/** Advisory lock: one of the processes that start at once creates the users. */
const bootstrapLock = 72_707_370;

interface FirstUser {
  readonly uuid: string;
  readonly username: string;
  readonly name: string;
  readonly secretHash: string;
}

const findRootZone = async (tx: PrismaTransaction): Promise<string | undefined> => {
  const role = await tx.role.findFirst({
    where: { name: managedRoleNames.rootAdmin, managed: true },
    select: { zoneUuid: true },
  });
  return role?.zoneUuid;
};

/** The same question as every start asks it: in SQL, so that a start loads no more of Prisma than it needs. */
const findExisting = async ({ pool }: Database): Promise<string | undefined> => {
  const { rows } = await pool.query<{ readonly zone_uuid: string }>(
    'SELECT zone_uuid FROM role WHERE name = $1 AND managed LIMIT 1',
    [managedRoleNames.rootAdmin],
  );
  return rows[0]?.zone_uuid;
};

const createRoot = async (
  tx: PrismaTransaction,
  { admin, dgs }: { readonly admin: FirstUser; readonly dgs: FirstUser },
  now: Date,
  writer: IdentityWriter,
): Promise<string> => {
  const zoneUuid = writer.newUuid();
  await tx.person.createMany({
    data: [admin, dgs].map((user) => ({ ...user, serviceAccount: true, dateCreated: now, tokensValidFrom: now })),
  });
  await createRootZone(tx, { uuid: zoneUuid, name: rootZoneName, createdByUuid: admin.uuid, now });
  await createManagedRoles(
    tx,
    {
      zoneUuid,
      kind: 'ROOT',
      parentZoneUuid: null,
      adminUserUuids: [admin.uuid],
      dataStewardUserUuids: [dgs.uuid],
    },
    writer,
  );
  const onlyInRoot = [
    [managedRoleNames.rootAdmin, admin],
    [managedRoleNames.dataGovernanceSteward, dgs],
  ] as const;
  for (const [name, user] of onlyInRoot) {
    const roleUuid = await createManagedRole(tx, name, { uuid: zoneUuid, kind: 'ROOT' }, writer);
    await joinRole(tx, { personUuid: user.uuid, zoneUuid, roleUuid }, writer);
  }
  return zoneUuid;
};

/** Files of generated passwords, without those of users whose given password is the one that is valid. */
const validPasswordFiles = async (
  { pool }: Database,
  dataDir: string,
  given: Readonly<Record<'admin' | 'dgs', string | undefined>>,
): Promise<readonly string[]> => {
  const files: string[] = [];
  for (const file of await findPasswordFiles(dataDir)) {
    const username = basename(file, '.password') as keyof typeof given;
    const password = given[username];
    const { rows } =
      password === undefined
        ? { rows: [] }
        : await pool.query<{ hash: string | null }>('SELECT secret_hash AS hash FROM person WHERE username = $1', [
            username,
          ]);
    const hash = rows[0]?.hash ?? undefined;
    const isReplaced = password !== undefined && hash !== undefined && (await verifySecret(password, hash));
    if (!isReplaced) files.push(file);
  }
  return files;
};

const findWeak = async (given: Readonly<Record<string, string | undefined>>): Promise<readonly string[]> => {
  const weak: string[] = [];
  for (const [username, password] of Object.entries(given)) {
    if (password !== undefined && (await weakPasswordFault(password, [username])) !== undefined) weak.push(username);
  }
  return weak;
};

/**
 * First start of a deployment: the zone `Root`, its managed roles, the users `admin` and `dgs`
 * (docs/reference/login.md#first-start). Does nothing on a database that has them. Safe when several processes start at once.
 */
export const bootstrapIdentity = async ({
  database,
  adminPassword,
  dgsPassword,
  dataDir,
  now,
  newUuid,
}: BootstrapIdentityOptions): Promise<BootstrappedIdentity> => {
  const existing = await findExisting(database);
  if (existing !== undefined)
    return {
      rootZoneUuid: existing,
      firstStart: false,
      passwordFiles: await validPasswordFiles(database, dataDir, { admin: adminPassword, dgs: dgsPassword }),
      weakPasswords: [],
    };
  const weakPasswords = await findWeak({ admin: adminPassword, dgs: dgsPassword });
  return database.prisma.$transaction(
    async (tx) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${bootstrapLock})`;
      const created = await findRootZone(tx);
      if (created !== undefined)
        return {
          rootZoneUuid: created,
          firstStart: false,
          passwordFiles: await findPasswordFiles(dataDir),
          weakPasswords: [],
        };

      const passwords = {
        admin: await openFirstPassword('admin', dataDir, adminPassword),
        dgs: await openFirstPassword('dgs', dataDir, dgsPassword),
      };
      const firstUser = async (username: 'admin' | 'dgs', name: string): Promise<FirstUser> => ({
        uuid: newUuid(),
        username,
        name,
        secretHash: await hashSecret(passwords[username].password),
      });
      const users = {
        admin: await firstUser('admin', 'Root Administrator'),
        dgs: await firstUser('dgs', managedRoleNames.dataGovernanceSteward),
      };
      return {
        rootZoneUuid: await createRoot(tx, users, now(), { newUuid }),
        firstStart: true,
        passwordFiles: Object.values(passwords).flatMap(({ file }) => file ?? []),
        weakPasswords,
      };
    },
    { maxWait: 30_000, timeout: 60_000 },
  );
};
