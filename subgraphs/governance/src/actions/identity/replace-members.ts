import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { maxPageSize, type Paged } from '@fds/graphql';
import type { Endpoints } from '@fds/access-rules';
import type { FaultList } from '@fds/errors';
import { loadUsers, logIdentities } from '@fds/identity';
import type { User } from '../../domain/identity/user.js';
import { requireGranted } from './giving/caller-grants.js';
import { grantsByJoining } from './giving/given-grants.js';
import { listedAt, readKnownUuids } from './known-uuids.js';
import { listUsers } from './users/user-list.js';

/** A role or a group of a zone, which users can join. */
export interface Joined {
  readonly kind: 'role' | 'group';
  readonly zoneUuid: string;
  readonly uuid: string;
}

const membersOf = async (tx: PrismaTransaction, { kind, uuid }: Joined): Promise<Set<string>> => {
  const select = { zoneUserUuid: true } as const;
  const rows =
    kind === 'role'
      ? await tx.roleMember.findMany({ where: { roleUuid: uuid }, select })
      : await tx.groupMember.findMany({ where: { groupUuid: uuid }, select });
  return new Set(rows.map(({ zoneUserUuid }) => zoneUserUuid));
};

const add = async (tx: PrismaTransaction, { kind, uuid }: Joined, zoneUserUuids: readonly string[]): Promise<void> => {
  if (kind === 'role') {
    await tx.roleMember.createMany({ data: zoneUserUuids.map((zoneUserUuid) => ({ roleUuid: uuid, zoneUserUuid })) });
  } else {
    await tx.groupMember.createMany({ data: zoneUserUuids.map((zoneUserUuid) => ({ groupUuid: uuid, zoneUserUuid })) });
  }
};

const drop = async (tx: PrismaTransaction, { kind, uuid }: Joined, zoneUserUuids: readonly string[]): Promise<void> => {
  const zoneUserUuid = { in: [...zoneUserUuids] };
  if (kind === 'role') await tx.roleMember.deleteMany({ where: { roleUuid: uuid, zoneUserUuid } });
  else await tx.groupMember.deleteMany({ where: { groupUuid: uuid, zoneUserUuid } });
};

/** Logs users whose roles or groups have changed, because these are part of the content of a user. */
const logUsers = async (
  tx: PrismaTransaction,
  zoneUuid: string,
  zoneUserUuids: readonly string[],
  principal: Principal,
  now: Date,
): Promise<void> => {
  await tx.zoneUser.updateMany({
    where: { uuid: { in: [...zoneUserUuids] } },
    data: { lastUpdated: now, changeVersion: { increment: 1 } },
  });
  await logIdentities(tx, principal, 'PATCH', 'User', await loadUsers(tx, zoneUuid, zoneUserUuids));
};

/** The caller who replaces the members of a role or group, and the time. */
interface Replacement {
  readonly principal: Principal;
  readonly faults: FaultList;
  readonly now: Date;
  readonly endpoints: Endpoints;
}

/**
 * Replaces the members, and returns the first page of them.
 *
 * @throws AppError UNKNOWN_REFERENCE, FORBIDDEN when a new member would get permissions that the caller lacks
 */
export const replaceMembers = async (
  tx: PrismaTransaction,
  joined: Joined,
  zoneUserUuids: readonly string[],
  { principal, faults, now, endpoints }: Replacement,
): Promise<Paged<User>> => {
  const { zoneUuid, kind, uuid } = joined;
  const wanted = await readKnownUuids(tx, 'user', zoneUuid, listedAt('', zoneUserUuids), faults);
  faults.throwIfAny();
  const present = await membersOf(tx, joined);
  const joining = wanted.filter((user) => !present.has(user.uuid));
  const staying = new Set(wanted.map((user) => user.uuid));
  const leaving = [...present].filter((user) => !staying.has(user));
  const [first] = joining;
  if (first !== undefined) {
    const place = [{ uuid, pointer: first.pointer }];
    const roles = kind === 'role' ? place : [];
    const given = await grantsByJoining(tx, { roles, groups: kind === 'group' ? place : [] });
    await requireGranted(tx, principal, given, endpoints);
  }
  const newcomers = joining.map((user) => user.uuid);
  await drop(tx, joined, leaving);
  await add(tx, joined, newcomers);
  await logUsers(tx, zoneUuid, [...leaving, ...newcomers], principal, now);
  const filter = kind === 'role' ? { roleUuid: uuid } : { groupUuid: uuid };
  return listUsers(tx, [zoneUuid], filter, { page: 0, size: Math.min(Math.max(wanted.length, 1), maxPageSize) });
};

/** Removes a user; returns false when the user was not a member. */
export const removeMember = async (
  tx: PrismaTransaction,
  joined: Joined,
  zoneUserUuid: string,
  { principal, now }: { readonly principal: Principal; readonly now: Date },
): Promise<boolean> => {
  if (!(await membersOf(tx, joined)).has(zoneUserUuid)) return false;
  await drop(tx, joined, [zoneUserUuid]);
  await logUsers(tx, joined.zoneUuid, [zoneUserUuid], principal, now);
  return true;
};

/** Removes all members. */
export const removeAllMembers = async (
  tx: PrismaTransaction,
  joined: Joined,
  { principal, now }: { readonly principal: Principal; readonly now: Date },
): Promise<void> => {
  const members = [...(await membersOf(tx, joined))];
  await drop(tx, joined, members);
  await logUsers(tx, joined.zoneUuid, members, principal, now);
};
