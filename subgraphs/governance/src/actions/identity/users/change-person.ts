import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import { logIdentity, moveDefaultZone, requireUser } from '@fds/identity';
import type { PersonSettings, User } from '../../../domain/identity/user.js';
import { grantsOfUser, requireGranted } from '../giving/caller-grants.js';
import type { ForgetPerson, IdentityTools } from '../identity-tools.js';

/** Locks the row of a person, who may be changed from several zones, until the transaction ends. */
export const lockPerson = async (tx: PrismaTransaction, uuid: string): Promise<void> => {
  await tx.$queryRaw`SELECT uuid FROM person WHERE uuid = ${uuid}::uuid FOR NO KEY UPDATE`;
};

/** @throws AppError DUPLICATE_NAME when another person has the username (ignoring case) or the SSO id */
export const requirePersonUnique = async (
  tx: PrismaTransaction,
  { username, ssoId }: PersonSettings,
  ownUuid?: string,
): Promise<void> => {
  const others = ownUuid === undefined ? {} : { uuid: { not: ownUuid } };
  const rows = await tx.$queryRaw<{ readonly uuid: string }[]>`
    SELECT uuid::text AS uuid FROM person WHERE lower(username) = lower(${username})`;
  const errors = [];
  if (rows.some(({ uuid }) => uuid !== ownUuid)) {
    errors.push({ pointer: '/username', code: 'DUPLICATE_NAME', detail: `the username ${username} is taken` });
  }
  if (ssoId !== null && (await tx.person.count({ where: { ssoId, ...others } })) > 0) {
    errors.push({ pointer: '/ssoId', code: 'DUPLICATE_NAME', detail: 'another person has this SSO id' });
  }
  if (errors.length > 0) throw new AppError('DUPLICATE_NAME', 'another person already uses it', { errors });
};

/** Changes of a person. An undefined member stays. */
interface PersonChange {
  readonly personUuid: string;
  /** The membership through which the person is changed. Its own action logs it. */
  readonly zoneUserUuid: string;
  readonly settings?: PersonSettings;
  /** Hash of a new password. */
  readonly secretHash?: string | undefined;
  /** `own`: the zone of the membership becomes the default zone. */
  readonly defaultZone?: 'own' | undefined;
}

const members = ['username', 'ssoId', 'name', 'email'] as const;

/** Only callers who may change a person in all of the person's zones may do so. @throws AppError FORBIDDEN */
const requireEveryZone = (
  principal: Principal,
  memberships: readonly { readonly uuid: string; readonly zoneUuid: string }[],
): void => {
  const mayInAll = memberships.every(({ uuid, zoneUuid }) =>
    principal.permits('PATCH', `/zones/${zoneUuid}/users/${uuid}`),
  );
  // the caller may not know which zones these are
  if (!mayInAll) throw new AppError('FORBIDDEN', 'the person has other zones: you may not change the person in each');
};

/** Call it before the given values are compared with those of the person. @throws AppError FORBIDDEN */
export const requireChangeable = async (
  tx: PrismaTransaction,
  personUuid: string,
  principal: Principal,
): Promise<void> => {
  const memberships = await tx.zoneUser.findMany({ where: { personUuid }, select: { uuid: true, zoneUuid: true } });
  if (memberships.length > 1) requireEveryZone(principal, memberships);
};

/**
 * Changes a person. All zones of the person show the change. A caller who sets a password or an SSO id can sign in as
 * the person, so the caller must have all permissions of the person, including those of deactivated memberships. A new
 * password ends all tokens that were issued before.
 *
 * @throws AppError FORBIDDEN, DUPLICATE_NAME
 */
export const changePerson = async (
  tx: PrismaTransaction,
  { personUuid, zoneUserUuid, settings, secretHash, defaultZone: newDefault }: PersonChange,
  principal: Principal,
  { endpoints }: Pick<IdentityTools, 'endpoints'>,
  now: Date,
): Promise<void> => {
  const person = await tx.person.findUniqueOrThrow({
    where: { uuid: personUuid },
    include: { memberships: { select: { uuid: true, zoneUuid: true, defaultZone: true } } },
  });
  const { memberships } = person;
  const isSaidOtherwise = settings !== undefined && members.some((member) => settings[member] !== person[member]);
  if (!isSaidOtherwise && secretHash === undefined && newDefault === undefined) return;
  if (memberships.length > 1) requireEveryZone(principal, memberships);
  const opensSignIn =
    secretHash !== undefined || (isSaidOtherwise && settings.ssoId !== null && settings.ssoId !== person.ssoId);
  if (opensSignIn && principal.uuid !== personUuid) {
    const granted = await grantsOfUser(tx, person, 'all');
    const pointer = secretHash === undefined ? '/ssoId' : '/password';
    const notOwn = granted.filter(({ source }) => source.uuid !== personUuid);
    await requireGranted(
      tx,
      principal,
      notOwn.map((grant) => ({ pointer, grant })),
      endpoints,
    );
  }
  if (isSaidOtherwise) await requirePersonUnique(tx, settings, personUuid);
  await tx.person.update({
    where: { uuid: personUuid },
    data: {
      ...settings,
      ...(secretHash === undefined ? {} : { secretHash, tokensValidFrom: now, tokenEpoch: { increment: 1 } }),
      lastUpdated: now,
      changeVersion: { increment: 1 },
    },
    select: { uuid: true },
  });
  const changed = { lastUpdated: now, changeVersion: { increment: 1 } };
  for (const { uuid, zoneUuid, defaultZone } of memberships) {
    const isDefault = newDefault === undefined ? defaultZone : uuid === zoneUserUuid;
    await tx.zoneUser.update({
      where: { uuid },
      // the caller has all permissions of the person, so the password may give access to every membership
      data: { defaultZone: isDefault, ...(secretHash === undefined ? {} : { providerOnly: false }), ...changed },
      select: { uuid: true },
    });
    if (uuid === zoneUserUuid) continue;
    await logIdentity(tx, principal, 'PATCH', 'User', await requireUser(tx, zoneUuid, uuid));
  }
};

/**
 * Call it after a membership has ended. It removes a person whose last membership this was, or sets another default
 * zone.
 */
export const removePersonWithoutZone = async (
  tx: PrismaTransaction,
  { userUuid, defaultZone }: User,
  principal: Principal,
  forgetPerson: readonly ForgetPerson[],
): Promise<void> => {
  if ((await tx.zoneUser.count({ where: { personUuid: userUuid } })) === 0) {
    for (const forget of forgetPerson) await forget(tx, userUuid, { actorUuid: principal.uuid });
    await tx.person.delete({ where: { uuid: userUuid }, select: { uuid: true } });
    return;
  }
  if (!defaultZone) return;
  for (const { uuid, zoneUuid } of await moveDefaultZone(tx, [userUuid])) {
    await logIdentity(tx, principal, 'PATCH', 'User', await requireUser(tx, zoneUuid, uuid));
  }
};
