import type { Principal } from '@fds/auth';
import { inTransaction, isReferenceViolation, isUniqueViolation, type PrismaTransaction } from '@fds/database';
import {
  AppError,
  checkChangeVersion,
  FaultList,
  type GivenChangeVersion,
  requireNotStale,
  staleChangeVersion,
} from '@fds/errors';
import { filterText, orderOf, type Paged, type PageRequest, readPage, requirePermission } from '@fds/graphql';
import { requireUnused } from '../../domain/require-unused.js';
import { mayReadZone, requireAnyOf } from '../../domain/visibility.js';
import { readZone, requireNoCycle, type Zone, type ZoneInput } from '../../domain/zones/zone.js';
import { logAs, type StoreTools } from '../../store/catalog-writer.js';
import { removePreferencesOf } from '../../store/preferences/preference-rows.js';
import { releaseAdaptorTypes } from '../../store/adaptor-types/release-adaptor-types.js';
import type { CreateManagedRoles, ForgetHolders, ForgetZone } from './zone-roles.js';
import {
  ancestorsOf,
  findPersons,
  isRootZone,
  lockZoneTree,
  toZone,
  toZoneColumns,
} from '../../store/zones/zone-rows.js';
import { zoneNotFound } from './require-zone.js';

export interface ChildZoneFilter {
  readonly zoneName?: string | null;
  readonly active?: boolean | null;
  readonly sort?: string | null;
}

export interface ZoneFilter extends ChildZoneFilter {
  readonly zoneUuid?: string | null;
  readonly parentZoneUuid?: string | null;
}

export interface ZoneActions {
  list(filter: ZoneFilter, page: PageRequest, principal: Principal): Promise<Paged<Zone>>;
  /** All children. The caller's permission is checked before. @throws AppError NOT_FOUND for the parent */
  listChildren(parentZoneUuid: string, filter: ChildZoneFilter, page: PageRequest): Promise<Paged<Zone>>;
  /** @throws AppError NOT_FOUND */
  read(zoneUuid: string): Promise<Zone>;
  create(input: ZoneInput, principal: Principal, faults?: FaultList): Promise<Zone>;
  /** @throws AppError NOT_FOUND when the parent does not exist */
  createChild(parentZoneUuid: string, input: ZoneInput, principal: Principal, faults?: FaultList): Promise<Zone>;
  replace(zoneUuid: string, input: ZoneInput, principal: Principal, faults?: FaultList): Promise<Zone>;
  patch(zoneUuid: string, input: ZoneInput, principal: Principal, faults?: FaultList): Promise<Zone>;
  /**
   * Also removes roles, memberships, permissions, ACL entries and preferences of the zone. @throws AppError IN_USE
   * while it has children, adaptors or domains
   */
  remove(zoneUuid: string, changeVersion: GivenChangeVersion, principal: Principal): Promise<void>;
}

const sortFields = ['name', 'active', 'dateCreated', 'lastUpdated'];

const duplicateName = (name: string): AppError =>
  new AppError('DUPLICATE_NAME', `a sibling is named ${name}`, {
    errors: [{ pointer: '/name', code: 'DUPLICATE_NAME', detail: 'names of siblings differ, ignoring case' }],
  });

const checkParent = async (tx: PrismaTransaction, uuid: string | null, faults: FaultList): Promise<void> => {
  if (uuid !== null && (await tx.zone.findUnique({ where: { uuid }, select: { uuid: true } })) === null) {
    faults.add('/parentZoneUuid', 'UNKNOWN_REFERENCE', `there is no zone ${uuid}`);
  }
};

const checkPersons = async (
  tx: PrismaTransaction,
  name: 'adminUserUuids' | 'dataStewardUserUuids',
  uuids: readonly string[] | null | undefined,
  faults: FaultList,
): Promise<void> => {
  if (uuids === null || uuids === undefined) return;
  const known = await findPersons(tx, uuids);
  for (const [index, uuid] of uuids.entries()) {
    if (!known.has(uuid)) faults.add(`/${name}/${index}`, 'UNKNOWN_REFERENCE', `there is no user ${uuid}`);
  }
};

export interface ZoneTools extends StoreTools {
  readonly createManagedRoles: CreateManagedRoles;
  readonly forgetZone: readonly ForgetZone[];
  readonly forgetHolders: ForgetHolders;
}

/** A zone in the change log, in the form of REST. */
const shownZone = <Row extends { readonly uuid: string }>(zone: Row) => ({ ...zone, zoneUuid: zone.uuid });

/** The actions on the zones of the deployment. */
export const createZoneActions = (tools: ZoneTools): ZoneActions => {
  const { database, now, newUuid, createManagedRoles, forgetZone, forgetHolders } = tools;
  const { prisma } = database;

  const insert = async (
    tx: PrismaTransaction,
    input: ZoneInput,
    principal: Principal,
    faults: FaultList,
  ): Promise<Zone> => {
    const settings = readZone(input, undefined, faults);
    await checkParent(tx, settings.parentZoneUuid, faults);
    await checkPersons(tx, 'adminUserUuids', input.adminUserUuids, faults);
    await checkPersons(tx, 'dataStewardUserUuids', input.dataStewardUserUuids, faults);
    faults.throwIfAny();
    const uuid = newUuid();
    const time = now();
    const actorUuid = principal.uuid;
    const added = await tx.zone.create({
      data: {
        uuid,
        ...toZoneColumns(settings),
        createdByUuid: actorUuid ?? null,
        dateCreated: time,
        lastUpdated: time,
      },
    });
    const zone = toZone(added);
    await logAs(tx, principal, {
      action: 'POST',
      resourceType: 'Zone',
      resource: `/zones/${uuid}`,
      resourceUuid: uuid,
      zoneUuid: uuid,
      data: shownZone(zone),
    });
    await createManagedRoles(
      tx,
      {
        zoneUuid: uuid,
        parentZoneUuid: settings.parentZoneUuid,
        adminUserUuids: input.adminUserUuids ?? undefined,
        dataStewardUserUuids: input.dataStewardUserUuids ?? undefined,
      },
      { actorUuid, newUuid },
    );
    return zone;
  };

  const requireMovable = async (
    tx: PrismaTransaction,
    zoneUuid: string,
    parentZoneUuid: string | null,
    principal: Principal,
  ): Promise<void> => {
    requirePermission(principal, 'POST', parentZoneUuid === null ? '/zones' : `/zones/${parentZoneUuid}/child-zones`);
    if (await isRootZone(tx, zoneUuid)) throw new AppError('CONFLICT', 'the root zone stays at the top');
    if (parentZoneUuid !== null) requireNoCycle(zoneUuid, await ancestorsOf(tx, parentZoneUuid));
  };

  const update = (
    zoneUuid: string,
    input: ZoneInput,
    principal: Principal,
    action: 'PUT' | 'PATCH',
    faults: FaultList,
  ): Promise<Zone> =>
    inTransaction(database, async (tx) => {
      await lockZoneTree(tx);
      const found = await tx.zone.findUnique({ where: { uuid: zoneUuid } });
      if (found === null) throw zoneNotFound(zoneUuid);
      const current = toZone(found);
      checkChangeVersion(input.changeVersion, current.changeVersion, faults);
      const settings = readZone(action === 'PATCH' ? { ...current, ...input } : input, current, faults);
      await checkParent(tx, settings.parentZoneUuid, faults);
      faults.throwIfAny();
      if (settings.parentZoneUuid !== current.parentZoneUuid) {
        await requireMovable(tx, zoneUuid, settings.parentZoneUuid, principal);
      }
      const { count } = await tx.zone.updateMany({
        where: { uuid: zoneUuid, changeVersion: current.changeVersion },
        data: { ...toZoneColumns(settings), lastUpdated: now(), changeVersion: { increment: 1 } },
      });
      const changed = await tx.zone.findUnique({ where: { uuid: zoneUuid } });
      if (changed === null) throw zoneNotFound(zoneUuid);
      const zone = toZone(changed);
      if (count === 0) throw staleChangeVersion(zone.changeVersion);
      await logAs(tx, principal, {
        action,
        resourceType: 'Zone',
        resource: `/zones/${zoneUuid}`,
        resourceUuid: zoneUuid,
        zoneUuid,
        data: shownZone(zone),
      });
      return zone;
    });

  const uniquely = async <T>(input: ZoneInput, work: () => Promise<T>): Promise<T> => {
    try {
      const value = await work();
      forgetHolders();
      return value;
    } catch (error) {
      if (isUniqueViolation(error)) throw duplicateName(input.name ?? 'so');
      throw isReferenceViolation(error) ? new AppError('CONFLICT', 'another request deleted the parent') : error;
    }
  };

  const remove = (zoneUuid: string, changeVersion: GivenChangeVersion, principal: Principal): Promise<void> =>
    inTransaction(database, async (tx) => {
      const zone = await tx.zone.findUnique({
        where: { uuid: zoneUuid },
        include: { _count: { select: { children: true, adaptors: true, domains: true } } },
      });
      if (zone === null) throw zoneNotFound(zoneUuid);
      const { _count: uses, ...before } = zone;
      requireNotStale(changeVersion, zone.changeVersion);
      requireUnused('zone', uses);
      if (await isRootZone(tx, zoneUuid)) throw new AppError('CONFLICT', 'the root zone cannot be deleted');
      await removePreferencesOf(tx, { zoneUuid }, principal);
      await releaseAdaptorTypes(tx, zoneUuid, now(), principal);
      await tx.zone.delete({ where: { uuid: zoneUuid }, select: { uuid: true } });
      await logAs(tx, principal, {
        action: 'DELETE',
        resourceType: 'Zone',
        resource: `/zones/${zoneUuid}`,
        resourceUuid: zoneUuid,
        zoneUuid,
        data: shownZone(toZone(before)),
      });
      for (const forget of forgetZone) await forget(tx, zoneUuid, { actorUuid: principal.uuid });
    });

  const visibleUuids = async (principal: Principal): Promise<string[]> => {
    const zones = await prisma.zone.findMany({ select: { uuid: true, parentZoneUuid: true } });
    const visible = zones.filter((zone) => mayReadZone(principal, zone)).map((zone) => zone.uuid);
    if (visible.length === 0) requireAnyOf(principal, ['/zones', '/zones/?', '/zones/?/child-zones']);
    return visible;
  };

  const read = async (zoneUuid: string): Promise<Zone> => {
    const zone = await prisma.zone.findUnique({ where: { uuid: zoneUuid } });
    if (zone === null) throw zoneNotFound(zoneUuid);
    return toZone(zone);
  };

  /** @param among returns the condition for the rows to list, after the filter has been read */
  const listAmong = async (
    among: () => Promise<readonly object[]>,
    { zoneName, active, sort }: ChildZoneFilter,
    page: PageRequest,
  ): Promise<Paged<Zone>> => {
    const orderBy = orderOf(sort, sortFields, 'name');
    const name = filterText('zoneName', zoneName);
    const where = {
      AND: [...(await among())],
      ...(name === undefined ? {} : { name }),
      ...(typeof active === 'boolean' ? { active } : {}),
    };
    return readPage(
      page,
      () => prisma.zone.count({ where }),
      async (range) => (await prisma.zone.findMany({ where, orderBy, ...range })).map(toZone),
    );
  };

  return {
    list: ({ zoneUuid, parentZoneUuid, ...filter }, page, principal) =>
      listAmong(
        async () => [
          { uuid: { in: await visibleUuids(principal) } },
          zoneUuid ? { uuid: zoneUuid } : {},
          parentZoneUuid ? { parentZoneUuid } : {},
        ],
        filter,
        page,
      ),
    listChildren: (parentZoneUuid, filter, page) =>
      listAmong(
        async () => {
          await read(parentZoneUuid);
          return [{ parentZoneUuid }];
        },
        filter,
        page,
      ),
    read,
    create: (input, principal, faults = new FaultList()) =>
      uniquely(input, () => inTransaction(database, (tx) => insert(tx, input, principal, faults))),
    createChild: (parentZoneUuid, input, principal, faults = new FaultList()) =>
      uniquely(input, () =>
        inTransaction(database, async (tx) => {
          const parent = await tx.zone.findUnique({ where: { uuid: parentZoneUuid }, select: { uuid: true } });
          if (parent === null) throw zoneNotFound(parentZoneUuid);
          if (input.parentZoneUuid && input.parentZoneUuid !== parentZoneUuid) {
            faults.add('/parentZoneUuid', 'CONTRADICTION', 'names another parent than the path');
          }
          return insert(tx, { ...input, parentZoneUuid }, principal, faults);
        }),
      ),
    replace: (zoneUuid, input, principal, faults = new FaultList()) =>
      uniquely(input, () => update(zoneUuid, input, principal, 'PUT', faults)),
    patch: (zoneUuid, input, principal, faults = new FaultList()) =>
      uniquely(input, () => update(zoneUuid, input, principal, 'PATCH', faults)),
    remove: async (zoneUuid, changeVersion, principal) => {
      try {
        await remove(zoneUuid, changeVersion, principal);
        forgetHolders();
      } catch (error) {
        throw isReferenceViolation(error) ? new AppError('IN_USE', 'another request started to use the zone') : error;
      }
    },
  };
};
