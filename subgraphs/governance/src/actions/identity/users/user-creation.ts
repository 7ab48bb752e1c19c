import { randomBytes } from 'node:crypto';
import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { logIdentity, mayKnowPerson, requireUser, toldColumns } from '@fds/identity';
import { AppError, type FaultList } from '@fds/errors';
import {
  checkKnownPerson,
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
import { changePerson, lockPerson, requirePersonUnique } from './change-person.js';
import { readJoined, writeJoined } from './joined-holders.js';
import type { Passwords } from './passwords.js';

interface CreatedUser {
  readonly user: User;
  /** Credentials of a new service account. */
  readonly clientId: string | null;
  readonly clientSecret: string | null;
}

/** @throws AppError NOT_FOUND for the zone, CONFLICT for a person who is a user already, DUPLICATE_NAME, FORBIDDEN */
export type UserCreation = (
  zoneUuid: string,
  input: UserInput,
  principal: Principal,
  faults: FaultList,
) => Promise<CreatedUser>;

const secretBytes = 32;

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

/** Creates users of zones. */
export const createUserCreation = (tools: IdentityTools, passwords: Passwords): UserCreation => {
  const { now, newUuid } = tools;

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

  return async (zoneUuid, input, principal, faults) => {
    const isNewAccount = input.serviceAccount === true && !input.userUuid;
    const generated = isNewAccount ? randomBytes(secretBytes).toString('base64url') : undefined;
    const weakness = await passwords.weaknessOf(input);
    const password = passwords.accepted(input, weakness) ?? generated;
    const prepared = await passwords.prepare(password, principal, faults);
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
};
