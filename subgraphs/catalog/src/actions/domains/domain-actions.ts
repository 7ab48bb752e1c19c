import type { Principal } from '@fds/auth';
import { inTransaction, isReferenceViolation, isUniqueViolation, type PrismaTransaction } from '@fds/database';
import { AppError, checkChangeVersion, FaultList, staleChangeVersion } from '@fds/errors';
import { filterText, orderOf, type Paged, type PageRequest, readPage } from '@fds/graphql';
import {
  checkDefaultKept,
  checkPatch,
  domainNameKey,
  duplicateDomainName,
  readDomain,
  requireTypeKept,
  type Domain,
  type DomainInput,
  type DomainType,
} from '../../domain/domains/domain.js';
import { mayReadDomain, requireAnyOf } from '../../domain/visibility.js';
import { requireUnused } from '../../domain/require-unused.js';
import { countUsesOfName, lockDomain, toDomain } from '../../store/domains/domain-rows.js';
import { logAs, type StoreTools } from '../../store/catalog-writer.js';
import type { ForgetHolders, GrantDomain, MoveDomain, RequireDomainZone } from '../zones/zone-roles.js';

export interface DomainFilter {
  readonly domainName?: string | null;
  readonly domainUuid?: string | null;
  readonly domainType?: DomainType | null;
  readonly active?: boolean | null;
  readonly sort?: string | null;
}

export interface DomainActions {
  list(filter: DomainFilter, page: PageRequest, principal: Principal): Promise<Paged<Domain>>;
  /** @throws AppError NOT_FOUND */
  read(uuid: string): Promise<Domain>;
  create(input: DomainInput, principal: Principal, faults?: FaultList): Promise<Domain>;
  replace(uuid: string, input: DomainInput, principal: Principal, faults?: FaultList): Promise<Domain>;
  patch(uuid: string, input: DomainInput, principal: Principal, faults?: FaultList): Promise<Domain>;
}

const sortFields = ['name', 'domainType', 'active', 'dateCreated', 'lastUpdated'];

const domainNotFound = (uuid: string): AppError => new AppError('NOT_FOUND', `there is no domain ${uuid}`);

export const requireDomain = async (tx: PrismaTransaction, uuid: string): Promise<Domain> => {
  const row = await tx.domain.findUnique({ where: { uuid } });
  if (row === null) throw domainNotFound(uuid);
  return toDomain(row);
};

/** Condition for domains that the caller may read. */
const visibleDomains = async (prisma: PrismaTransaction, principal: Principal) => {
  if (principal.permits('GET', '/domains/?')) return {};
  const domains = await prisma.domain.findMany({ select: { uuid: true } });
  const visible = domains.filter((domain) => mayReadDomain(principal, domain)).map((domain) => domain.uuid);
  if (visible.length === 0) requireAnyOf(principal, ['/domains']);
  return { uuid: { in: visible } };
};

const checkZone = async (tx: PrismaTransaction, uuid: string, faults: FaultList): Promise<void> => {
  if (uuid !== '' && (await tx.zone.count({ where: { uuid } })) === 0) {
    faults.add('/zoneUuid', 'UNKNOWN_REFERENCE', `there is no zone ${uuid}`);
  }
};

const maxInt = 2_147_483_647n;

/** The default version in the input; undefined when it has none. */
const findDefaultVersion = async (
  tx: PrismaTransaction,
  domainUuid: string,
  { defaultVersionUuid, defaultVersionNumber }: DomainInput,
  faults: FaultList,
): Promise<string | undefined> => {
  const find = async (pointer: string, where: { uuid: string } | { versionNumber: number } | undefined) => {
    const version =
      where === undefined
        ? null
        : await tx.domainVersion.findFirst({ where: { ...where, domainUuid, active: true }, select: { uuid: true } });
    if (version === null) faults.add(pointer, 'UNKNOWN_REFERENCE', 'the domain has no such active version');
    return version?.uuid;
  };
  const byUuid = defaultVersionUuid ? await find('/defaultVersionUuid', { uuid: defaultVersionUuid }) : undefined;
  if (defaultVersionNumber === null || defaultVersionNumber === undefined) return byUuid;
  const inRange = BigInt(defaultVersionNumber) <= maxInt && BigInt(defaultVersionNumber) > 0n;
  const byNumber = await find(
    '/defaultVersionNumber',
    inRange ? { versionNumber: Number(defaultVersionNumber) } : undefined,
  );
  if (byUuid !== undefined && byNumber !== undefined && byUuid !== byNumber) {
    faults.add('/defaultVersionNumber', 'CONTRADICTION', 'is another version than defaultVersionUuid');
  }
  return byUuid ?? byNumber;
};

/** The members that a patch cannot change. */
const namedAs = ({ name, domainType, zoneUuid }: Domain) => ({ name, domainType, zoneUuid });

/** Domain names are compared ignoring case. */
const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** The name of a domain cannot change while capabilities or cross-references use it. */
const requireNameUnused = async (tx: PrismaTransaction, name: string): Promise<void> =>
  requireUnused('name of the domain', await countUsesOfName(tx, name));

export interface DomainTools extends StoreTools {
  readonly requireDomainZone: RequireDomainZone;
  readonly grantDomain: GrantDomain;
  readonly moveDomain: MoveDomain;
  readonly forgetHolders: ForgetHolders;
}

/** The actions on domains. */
export const createDomainActions = (tools: DomainTools): DomainActions => {
  const { database, now, newUuid, requireDomainZone, grantDomain, moveDomain, forgetHolders } = tools;
  const { prisma } = database;

  const logDomain = (tx: PrismaTransaction, principal: Principal, action: 'POST' | 'PUT' | 'PATCH', domain: Domain) =>
    logAs(tx, principal, {
      action,
      resourceType: 'Domain',
      resource: `/domains/${domain.uuid}`,
      resourceUuid: domain.uuid,
      zoneUuid: domain.zoneUuid,
      data: domain,
    });

  const uniquely = async (input: DomainInput, work: (tx: PrismaTransaction) => Promise<Domain>): Promise<Domain> => {
    try {
      const domain = await inTransaction(database, work);
      forgetHolders();
      return domain;
    } catch (error) {
      if (isUniqueViolation(error)) throw duplicateDomainName(input.name ?? '');
      throw isReferenceViolation(error) ? new AppError('CONFLICT', 'another request deleted the zone') : error;
    }
  };

  const update = (
    uuid: string,
    input: DomainInput,
    principal: Principal,
    action: 'PUT' | 'PATCH',
    faults: FaultList,
  ): Promise<Domain> =>
    uniquely(input, async (tx) => {
      await lockDomain(tx, uuid);
      const current = await requireDomain(tx, uuid);
      checkChangeVersion(input.changeVersion, current.changeVersion, faults);
      if (action === 'PATCH') checkPatch(input, current, faults);
      const laid: DomainInput =
        action === 'PATCH' ? { description: current.description, ...input, ...namedAs(current) } : input;
      const settings = readDomain(laid, current, undefined, faults);
      await checkZone(tx, settings.zoneUuid, faults);
      checkDefaultKept(input, current, faults);
      const defaultVersionUuid = await findDefaultVersion(tx, uuid, input, faults);
      faults.throwIfAny();
      requireTypeKept(current, settings, await tx.domainVersion.count({ where: { domainUuid: uuid } }));
      if (!isSameName(settings.name, current.name)) await requireNameUnused(tx, current.name);
      // before the update, while the data of the domain still belongs to the old zone
      if (settings.zoneUuid !== current.zoneUuid) {
        await requireDomainZone(tx, principal, settings.zoneUuid);
        const move = { domainUuid: uuid, fromZoneUuid: current.zoneUuid, toZoneUuid: settings.zoneUuid };
        await moveDomain(tx, move, { actorUuid: principal.uuid, newUuid });
      }
      const { count } = await tx.domain.updateMany({
        where: { uuid, changeVersion: current.changeVersion },
        data: {
          ...settings,
          nameKey: domainNameKey(settings.name),
          ...(defaultVersionUuid === undefined ? {} : { defaultVersionUuid }),
          lastUpdated: now(),
          changeVersion: { increment: 1 },
        },
      });
      const domain = await requireDomain(tx, uuid);
      if (count === 0) throw staleChangeVersion(domain.changeVersion);
      await logDomain(tx, principal, action, domain);
      return domain;
    });

  return {
    list: async ({ domainName, domainUuid, domainType, active, sort }, page, principal) => {
      const orderBy = orderOf(sort, sortFields, 'name');
      const name = filterText('domainName', domainName);
      const where = {
        AND: [await visibleDomains(prisma, principal), domainUuid ? { uuid: domainUuid } : {}],
        ...(name === undefined ? {} : { nameKey: domainNameKey(name) }),
        ...(domainType ? { domainType } : {}),
        ...(typeof active === 'boolean' ? { active } : {}),
      };
      return readPage(
        page,
        () => prisma.domain.count({ where }),
        async (range) => (await prisma.domain.findMany({ where, orderBy, ...range })).map(toDomain),
      );
    },
    read: (uuid) => requireDomain(prisma, uuid),
    create: (input, principal, faults = new FaultList()) =>
      uniquely(input, async (tx) => {
        const settings = readDomain(input, undefined, principal.defaultZoneUuid, faults);
        await checkZone(tx, settings.zoneUuid, faults);
        const uuid = newUuid();
        await findDefaultVersion(tx, uuid, input, faults);
        faults.throwIfAny();
        await requireDomainZone(tx, principal, settings.zoneUuid);
        const time = now();
        const actorUuid = principal.uuid;
        const domain = toDomain(
          await tx.domain.create({
            data: {
              uuid,
              ...settings,
              nameKey: domainNameKey(settings.name),
              createdByUuid: actorUuid ?? null,
              dateCreated: time,
              lastUpdated: time,
            },
          }),
        );
        await logDomain(tx, principal, 'POST', domain);
        await grantDomain(tx, { zoneUuid: domain.zoneUuid, domainUuid: uuid }, { actorUuid, newUuid });
        return domain;
      }),
    replace: (uuid, input, principal, faults = new FaultList()) => update(uuid, input, principal, 'PUT', faults),
    patch: (uuid, input, principal, faults = new FaultList()) => update(uuid, input, principal, 'PATCH', faults),
  };
};
