import { randomBytes } from 'node:crypto';
import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { logIdentity, mayKnowPerson, requireUser, toldColumns, weakPasswordFault } from '@fds/identity';
import { AppError, checkChangeVersion, requireNotStale, FaultList, type GivenChangeVersion } from '@fds/errors';
import type { Paged, PageRequest } from '@fds/graphql';
import {
  checkFixedMembers,
  checkKnownPerson,
  readOtherwise,
  readPassword,
  readPerson,
  readToldPerson,
  refusePassword,
} from '../../../domain/identity/read-person.js';
import type { PersonSettings, ToldPerson, User, UserInput } from '../../../domain/identity/user.js';
import { requireGranted } from '../giving/caller-grants.js';
import { changeZone } from '../change-zone.js';
import { grantsByJoining } from '../giving/given-grants.js';
import type { IdentityTools } from '../identity-tools.js';
import { listedAt, readKnownUuids, type NamedUuid } from '../known-uuids.js';
import {
  changePerson,
  lockPerson,
  removePersonWithoutZone,
  requireChangeable,
  requirePersonUnique,
} from './change-person.js';
import { removePermissionsOf } from '../../../store/identity/permissions/permission-rows.js';
import { readableZones } from '../readable-zones.js';
import { listUsers, type UserFilter } from './user-list.js';

interface CreatedUser {
  readonly user: User;
  /** Credentials of a new service account. */
  readonly clientId: string | null;
  readonly clientSecret: string | null;
}

/** Persons and service accounts as users of zones. */
export interface UserActions {
  /** @throws AppError FORBIDDEN, NOT_FOUND for the zone, INVALID_PARAMETER */
  list(
    zoneUuid: string | null | undefined,
    filter: UserFilter,
    page: PageRequest,
    principal: Principal,
  ): Promise<Paged<User>>;
  /** @throws AppError NOT_FOUND */
  read(zoneUuid: string, zoneUserUuid: string): Promise<User>;
  /** @throws AppError NOT_FOUND for the zone, CONFLICT for a person who is a user already, DUPLICATE_NAME, FORBIDDEN */
  create(zoneUuid: string, input: UserInput, principal: Principal, faults: FaultList): Promise<CreatedUser>;
  replace(key: UserKey, input: UserInput, principal: Principal, faults: FaultList): Promise<User>;
  patch(key: UserKey, input: UserInput, principal: Principal, faults: FaultList): Promise<User>;
  /** A person whose last membership ends is removed. @throws AppError NOT_FOUND, CONFLICT for the last holder */
  remove(key: UserKey, changeVersion: GivenChangeVersion, principal: Principal): Promise<void>;
}

export interface UserKey {
  readonly zoneUuid: string;
  readonly zoneUserUuid: string;
}

const secretBytes = 32;

/** A new secret and its hash. */
interface PreparedSecret {
  readonly secret: string;
  readonly secretHash: string;
}

/** Reads the roles and groups of an input; undefined when they stay unchanged. */
const readJoined = async (tx: PrismaTransaction, zoneUuid: string, input: UserInput, faults: FaultList) => {
  const { roleUuids, groupUuids } = input;
  return {
    roles:
      roleUuids === undefined
        ? undefined
        : await readKnownUuids(tx, 'role', zoneUuid, listedAt('/roleUuids', roleUuids), faults),
    groups:
      groupUuids === undefined
        ? undefined
        : await readKnownUuids(tx, 'group', zoneUuid, listedAt('/groupUuids', groupUuids), faults),
  };
};

const newOnly = (wanted: readonly NamedUuid[] | undefined, present: readonly string[]): readonly NamedUuid[] =>
  (wanted ?? []).filter(({ uuid }) => !present.includes(uuid));

const writeJoined = async (
  tx: PrismaTransaction,
  zoneUserUuid: string,
  { roles, groups }: Awaited<ReturnType<typeof readJoined>>,
): Promise<void> => {
  if (roles !== undefined) {
    await tx.roleMember.deleteMany({ where: { zoneUserUuid } });
    await tx.roleMember.createMany({ data: roles.map(({ uuid: roleUuid }) => ({ roleUuid, zoneUserUuid })) });
  }
  if (groups !== undefined) {
    await tx.groupMember.deleteMany({ where: { zoneUserUuid } });
    await tx.groupMember.createMany({ data: groups.map(({ uuid: groupUuid }) => ({ groupUuid, zoneUserUuid })) });
  }
};

/** The existing person of a new user: by uuid, otherwise by the id at the external identity provider. */
const findPerson = async (tx: PrismaTransaction, { userUuid, ssoId }: UserInput, faults: FaultList) => {
  if (userUuid) {
    const person = await tx.person.findUnique({ where: { uuid: userUuid } });
    if (person === null) faults.add('/userUuid', 'UNKNOWN_REFERENCE', `there is no person ${userUuid}`);
    return person;
  }
  return ssoId ? tx.person.findUnique({ where: { ssoId } }) : null;
};

interface NewMembership {
  readonly zoneUuid: string;
  readonly personUuid: string;
  /** The data that the caller sent about a person whom the zone may not know. */
  readonly told: ToldPerson | undefined;
  readonly providerOnly?: boolean;
}

/**
 * Reads the input about an existing person. A caller who does not know the person may send any data. Comparing it with
 * the person's own data would confirm a guess, so it is stored as data of the zone.
 */
const readKnown = async (
  tx: PrismaTransaction,
  known: PersonSettings & { readonly uuid: string; readonly serviceAccount: boolean },
  input: UserInput,
  principal: Principal,
  faults: FaultList,
): Promise<ToldPerson | undefined> => {
  if (await mayKnowPerson(tx, principal.uuid, known.uuid)) {
    checkKnownPerson(input, known, faults);
    return undefined;
  }
  refusePassword(input, faults);
  return readToldPerson(input, faults);
};

export const createUserActions = (tools: IdentityTools): UserActions => {
  const { database, now, newUuid } = tools;
  const { prisma } = database;

  const createPerson = async (
    tx: PrismaTransaction,
    settings: PersonSettings,
    serviceAccount: boolean,
    secretHash: string | null,
  ): Promise<string> => {
    const uuid = newUuid();
    const time = now();
    const times = { dateCreated: time, lastUpdated: time, tokensValidFrom: time };
    await tx.person.create({
      data: { uuid, ...settings, serviceAccount, secretHash, ...times },
      select: { uuid: true },
    });
    return uuid;
  };

  const addMembership = async (
    tx: PrismaTransaction,
    { zoneUuid, personUuid, told, providerOnly = false }: NewMembership,
    { active, defaultZone }: UserInput,
    principal: Principal,
  ): Promise<string> => {
    const uuid = newUuid();
    const time = now();
    const isFirst = (await tx.zoneUser.count({ where: { personUuid } })) === 0;
    const dates = { dateCreated: time, lastUpdated: time };
    await tx.zoneUser.create({
      data: {
        uuid,
        zoneUuid,
        personUuid,
        active: active ?? true,
        defaultZone: isFirst,
        providerOnly,
        ...dates,
        ...(told === undefined ? {} : toldColumns(told)),
      },
      select: { uuid: true },
    });
    if (defaultZone === true && !isFirst) {
      await changePerson(tx, { personUuid, zoneUserUuid: uuid, defaultZone: 'own' }, principal, tools, time);
    }
    return uuid;
  };

  /**
   * A zone that gives an SSO id means the person who signs in with it at the external provider. The zone that set a
   * password of the same person knows it, and may have given the SSO id of another person (ADR 42).
   */
  const isSignedInByOthers = async (tx: PrismaTransaction, personUuid: string): Promise<boolean> =>
    tools.hasProvider && (await tx.person.count({ where: { uuid: personUuid, secretHash: { not: null } } })) > 0;

  /**
   * Hashes before the transaction, because a transaction must not wait for the queue. Undefined when there is nothing
   * to hash, or it is refused.
   */
  const prepareSecret = async (
    secret: string | undefined,
    principal: Principal,
    { isCheck }: FaultList,
  ): Promise<PreparedSecret | undefined> =>
    secret === undefined || isCheck ? undefined : { secret, secretHash: await tools.hashSecret(secret, principal) };

  /** The password of an input, if it will be accepted. */
  const passwordOf = (input: UserInput, weakness: string | undefined): string | undefined => {
    const faults = new FaultList();
    const password = readPassword(input, weakness, faults);
    return faults.isEmpty ? password : undefined;
  };

  /** Looked up before the transaction, with the names that the input or the user has. */
  const weaknessOf = async ({ password, username, name }: UserInput, key?: UserKey): Promise<string | undefined> => {
    if (typeof password !== 'string') return undefined;
    const where = { uuid: key?.zoneUserUuid ?? '', zoneUuid: key?.zoneUuid ?? '' };
    const select = { person: { select: { username: true, name: true } } };
    const known = key === undefined ? null : await prisma.zoneUser.findFirst({ where, select });
    const words = [username, name, known?.person.username, known?.person.name];
    return weakPasswordFault(
      password,
      words.flatMap((word) => word ?? []),
    );
  };

  const create = async (
    zoneUuid: string,
    input: UserInput,
    principal: Principal,
    faults: FaultList,
  ): Promise<CreatedUser> => {
    const isNewAccount = input.serviceAccount === true && !input.userUuid;
    const generated = isNewAccount ? randomBytes(secretBytes).toString('base64url') : undefined;
    const weakness = await weaknessOf(input);
    const prepared = await prepareSecret(passwordOf(input, weakness) ?? generated, principal, faults);
    return changeZone(tools, zoneUuid, principal, async (tx) => {
      const known = await findPerson(tx, input, faults);
      const isNew = known === null;
      const isServiceAccount = input.serviceAccount === true;
      const settings = isNew && !input.userUuid ? readPerson(input, isServiceAccount, faults) : undefined;
      if (isNew) readPassword(input, weakness, faults);
      const told = isNew ? undefined : await readKnown(tx, known, input, principal, faults);
      const joined = await readJoined(tx, zoneUuid, input, faults);
      faults.throwIfAny();
      if (known !== null) {
        await lockPerson(tx, known.uuid);
        const isUser = (await tx.zoneUser.count({ where: { zoneUuid, personUuid: known.uuid } })) > 0;
        if (isUser) throw new AppError('CONFLICT', 'the person is a user of the zone already');
      }
      if (settings !== undefined) await requirePersonUnique(tx, settings);
      await requireGranted(
        tx,
        principal,
        await grantsByJoining(tx, { roles: joined.roles ?? [], groups: joined.groups ?? [] }),
        tools.endpoints,
      );
      const { secret = null, secretHash = null } = prepared ?? {};
      const personUuid =
        known?.uuid ?? (await createPerson(tx, settings as PersonSettings, isServiceAccount, secretHash));
      const providerOnly = known !== null && !input.userUuid && (await isSignedInByOthers(tx, known.uuid));
      const uuid = await addMembership(tx, { zoneUuid, personUuid, told, providerOnly }, input, principal);
      await writeJoined(tx, uuid, joined);
      const user = await requireUser(tx, zoneUuid, uuid);
      await logIdentity(tx, principal, 'POST', 'User', user);
      const isTold = isNew && isServiceAccount;
      return { user, clientId: isTold ? user.username : null, clientSecret: isTold ? secret : null };
    });
  };

  /** The settings of the person in a change; undefined when it does not change the person. */
  const readSettings = async (
    tx: PrismaTransaction,
    current: User,
    { input, action }: { readonly input: UserInput; readonly action: 'PUT' | 'PATCH' },
    principal: Principal,
    faults: FaultList,
  ): Promise<PersonSettings | undefined> => {
    const { serviceAccount, userUuid: personUuid } = current;
    const { knowsPerson } = await tx.zoneUser.findUniqueOrThrow({
      where: { uuid: current.uuid },
      select: { knowsPerson: true },
    });
    if (knowsPerson) return readPerson(action === 'PATCH' ? { ...current, ...input } : input, serviceAccount, faults);
    const otherwise = readOtherwise(input, current);
    if (otherwise === undefined) return undefined;
    await requireChangeable(tx, personUuid, principal);
    const { username, ssoId, name, email } = await tx.person.findUniqueOrThrow({ where: { uuid: personUuid } });
    const told = { username: current.username, ssoId: current.ssoId, name: current.name, email: current.email };
    await tx.zoneUser.update({
      where: { uuid: current.uuid },
      data: toldColumns({ ...told, ...otherwise }),
      select: { uuid: true },
    });
    return readPerson({ username, ssoId, name, email, ...otherwise }, serviceAccount, faults);
  };

  const update = async (
    { zoneUuid, zoneUserUuid }: UserKey,
    input: UserInput,
    principal: Principal,
    action: 'PUT' | 'PATCH',
    faults: FaultList,
  ): Promise<User> => {
    const weakness = await weaknessOf(input, { zoneUuid, zoneUserUuid });
    const prepared = await prepareSecret(passwordOf(input, weakness), principal, faults);
    return changeZone(tools, zoneUuid, principal, async (tx) => {
      const { userUuid: personUuid } = await requireUser(tx, zoneUuid, zoneUserUuid);
      await lockPerson(tx, personUuid);
      const current = await requireUser(tx, zoneUuid, zoneUserUuid);
      checkChangeVersion(input.changeVersion, current.changeVersion, faults);
      checkFixedMembers(input, current, faults);
      const settings = await readSettings(tx, current, { input, action }, principal, faults);
      readPassword(input, weakness, faults);
      const joined = await readJoined(tx, zoneUuid, input, faults);
      faults.throwIfAny();
      await requireGranted(
        tx,
        principal,
        await grantsByJoining(tx, {
          roles: newOnly(joined.roles, current.roleUuids),
          groups: newOnly(joined.groups, current.groupUuids),
        }),
        tools.endpoints,
      );
      const defaultZone = input.defaultZone === true && !current.defaultZone ? ('own' as const) : undefined;
      const person = {
        personUuid,
        zoneUserUuid,
        ...(settings === undefined ? {} : { settings }),
        secretHash: prepared?.secretHash,
        defaultZone,
      };
      await changePerson(tx, person, principal, tools, now());
      await writeJoined(tx, zoneUserUuid, joined);
      await tx.zoneUser.update({
        where: { uuid: zoneUserUuid },
        data: {
          active: input.active ?? current.active,
          lastUpdated: now(),
          changeVersion: current.changeVersion + 1,
        },
        select: { uuid: true },
      });
      const user = await requireUser(tx, zoneUuid, zoneUserUuid);
      await logIdentity(tx, principal, action, 'User', user);
      return user;
    });
  };

  return {
    list: async (zoneUuid, filter, page, principal) =>
      listUsers(prisma, await readableZones(prisma, principal, 'users', zoneUuid), filter, page),
    read: (zoneUuid, zoneUserUuid) => requireUser(prisma, zoneUuid, zoneUserUuid),
    create,
    replace: (key, input, principal, faults) => update(key, input, principal, 'PUT', faults),
    patch: (key, input, principal, faults) => update(key, input, principal, 'PATCH', faults),
    remove: ({ zoneUuid, zoneUserUuid }, changeVersion, principal) =>
      changeZone(tools, zoneUuid, principal, async (tx) => {
        const user = await requireUser(tx, zoneUuid, zoneUserUuid);
        requireNotStale(changeVersion, user.changeVersion);
        await lockPerson(tx, user.userUuid);
        await removePermissionsOf(tx, zoneUserUuid, principal);
        await tx.zoneUser.delete({ where: { uuid: zoneUserUuid }, select: { uuid: true } });
        await logIdentity(tx, principal, 'DELETE', 'User', user);
        await removePersonWithoutZone(tx, user, principal, tools.forgetPerson);
      }),
  };
};
