import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { logIdentity, requireUser, toldColumns } from '@fds/identity';
import { checkChangeVersion, type FaultList } from '@fds/errors';
import { checkFixedMembers, readOtherwise, readPassword, readPerson } from '../../../domain/identity/read-person.js';
import type { PersonSettings, User, UserInput, UserKey } from '../../../domain/identity/user.js';
import { requireGranted } from '../giving/caller-grants.js';
import { changeZone } from '../change-zone.js';
import { grantsByJoining } from '../giving/given-grants.js';
import type { IdentityTools } from '../identity-tools.js';
import type { NamedUuid } from '../known-uuids.js';
import { changePerson, lockPerson, requireChangeable } from './change-person.js';
import { readJoined, writeJoined } from './joined-holders.js';
import type { Passwords } from './passwords.js';

/** `PUT` replaces the user, `PATCH` changes the given members. */
type UserUpdate = (
  key: UserKey,
  input: UserInput,
  principal: Principal,
  action: 'PUT' | 'PATCH',
  faults: FaultList,
) => Promise<User>;

const newOnly = (wanted: readonly NamedUuid[] | undefined, present: readonly string[]): readonly NamedUuid[] =>
  (wanted ?? []).filter(({ uuid }) => !present.includes(uuid));

/** Changes users of zones, and the persons behind them. */
export const createUserUpdate = (tools: IdentityTools, passwords: Passwords): UserUpdate => {
  const { now } = tools;

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

  return async ({ zoneUuid, zoneUserUuid }, input, principal, action, faults) => {
    const weakness = await passwords.weaknessOf(input, { zoneUuid, zoneUserUuid });
    const prepared = await passwords.prepare(passwords.accepted(input, weakness), principal, faults);
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
};
