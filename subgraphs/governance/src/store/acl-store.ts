import { logChange, type Database, type PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import type { Chain } from '@fds/governance-rules';
import {
  endCheck,
  parseSort,
  toPaged,
  type PageRequest,
  type Paged,
  type RequestContext,
  type SortTerm,
} from '@fds/graphql';
import type { AclInput, Placement } from '../domain/acl-input.js';
import { aclPath, chainNames } from '../domain/chain.js';
import { inputFaults, planEntries, requireNoFaults } from '../domain/new-entries.js';
import { unknownReferences } from './unknown-references.js';

/** A chain of a zone. */
interface ChainKey {
  readonly zoneUuid: string;
  readonly chain: Chain;
}

type AclRow = Awaited<ReturnType<PrismaTransaction['zoneAcl']['findFirstOrThrow']>>;

/** An entry as it is read; without properties it speaks of the whole message. */
type Acl = Omit<AclRow, 'chain' | 'properties'> & { readonly properties: readonly string[] | null };

/** Absent: whatever the present one. */
type GivenChangeVersion = number | bigint | null | undefined;

/** Who makes entries, or asks whether they could be made. */
interface Author extends Pick<RequestContext, 'purpose'> {
  readonly actorUuid: string;
}

/** Entries of the zones' chains. Positions of a chain are 0, 1, 2 ... without gaps at any time. */
export interface AclStore {
  /** @throws AppError NOT_FOUND when there is no such zone, INVALID_PARAMETER for what it cannot be sorted by */
  list(key: ChainKey, sort: string | null | undefined, page: PageRequest): Promise<Paged<Acl>>;
  /** @throws AppError NOT_FOUND */
  read(key: ChainKey, aclUuid: string): Promise<Acl>;
  /** @throws AppError NOT_FOUND for the zone; VALIDATION_FAILED, UNKNOWN_REFERENCE, INVALID_PARAMETER, see `requireNoFaults` */
  create(key: ChainKey, inputs: readonly AclInput[], placement: Placement, author: Author): Promise<Acl[]>;
  /** @throws AppError NOT_FOUND, STALE_CHANGE_VERSION when `changeVersion` is given and another */
  remove(key: ChainKey, aclUuid: string, changeVersion: GivenChangeVersion, actorUuid: string): Promise<void>;
}

const sortFields = ['position', 'name', 'active', 'dateCreated', 'lastUpdated'];

const toOrder = ({ field, descending }: SortTerm) => ({ [field]: descending ? ('desc' as const) : ('asc' as const) });
const inOrder = { position: 'asc' } as const;

const toAcl = ({ chain: _chain, properties, ...row }: AclRow): Acl => ({
  ...row,
  properties: properties.length === 0 ? null : properties,
});

const noZone = (zoneUuid: string) => new AppError('NOT_FOUND', `there is no zone ${zoneUuid}`);
const noAcl = (aclUuid: string) => new AppError('NOT_FOUND', `there is no entry ${aclUuid} in the chain`);

const requireNotStale = (given: GivenChangeVersion, current: number): void => {
  if (given === null || given === undefined || BigInt(given) === BigInt(current)) return;
  throw new AppError('STALE_CHANGE_VERSION', `the entry is at changeVersion ${current}`, {
    details: { currentChangeVersion: current },
  });
};

/** Of those who change a zone's chains at the same time, one goes after the other. */
const lockZone = async (tx: PrismaTransaction, zoneUuid: string): Promise<void> => {
  const rows = await tx.$queryRaw<unknown[]>`SELECT uuid FROM zone WHERE uuid = ${zoneUuid}::uuid FOR NO KEY UPDATE`;
  if (rows.length === 0) throw noZone(zoneUuid);
};

const logAcl = (
  tx: PrismaTransaction,
  action: 'POST' | 'DELETE',
  { zoneUuid, chain }: ChainKey,
  acl: Acl,
  actorUuid: string,
): Promise<void> =>
  logChange(tx, {
    action,
    resourceType: chainNames[chain].resourceType,
    resource: aclPath(chain, zoneUuid, acl.uuid),
    resourceUuid: acl.uuid,
    zoneUuid,
    actorUuid,
    data: { ...acl, dateCreated: acl.dateCreated.getTime(), lastUpdated: acl.lastUpdated.getTime() },
  });

export interface AclStoreDependencies {
  readonly database: Database;
  readonly now: () => Date;
  readonly newUuid: () => string;
}

export const createAclStore = ({ database: { prisma }, now, newUuid }: AclStoreDependencies): AclStore => ({
  list: async ({ zoneUuid, chain }, sort, request) => {
    const terms = parseSort(sort, sortFields);
    const [zone, totalElements] = await Promise.all([
      prisma.zone.findUnique({ where: { uuid: zoneUuid }, select: { uuid: true } }),
      prisma.zoneAcl.count({ where: { zoneUuid, chain } }),
    ]);
    if (zone === null) throw noZone(zoneUuid);
    const first = request.page * request.size;
    const load = (): Promise<AclRow[]> => {
      if (terms.length > 0) {
        const orderBy = [...terms.map(toOrder), inOrder];
        return prisma.zoneAcl.findMany({ where: { zoneUuid, chain }, orderBy, skip: first, take: request.size });
      }
      // positions have no gaps, so a page is a range of them, however deep
      const position = { gte: first, lt: first + request.size };
      return prisma.zoneAcl.findMany({ where: { zoneUuid, chain, position }, orderBy: inOrder });
    };
    const rows = first >= totalElements ? [] : await load();
    return toPaged(rows.map(toAcl), request, totalElements);
  },

  read: async ({ zoneUuid, chain }, aclUuid) => {
    const row = await prisma.zoneAcl.findFirst({ where: { uuid: aclUuid, zoneUuid, chain } });
    if (row === null) throw noAcl(aclUuid);
    return toAcl(row);
  },

  create: (key, inputs, placement, { actorUuid, purpose }) =>
    prisma.$transaction(async (tx) => {
      await lockZone(tx, key.zoneUuid);
      const length = await tx.zoneAcl.count({ where: { ...key } });
      const target = { ...key, length };
      requireNoFaults([...inputFaults(inputs, placement, target), ...(await unknownReferences(tx, inputs))]);
      endCheck({ purpose });
      const entries = planEntries(inputs, placement, target, { now: now(), newUuid });
      const front = entries[0]?.position;
      if (front === undefined) return [];
      await tx.zoneAcl.updateMany({
        where: { ...key, position: { gte: front } },
        data: { position: { increment: entries.length } },
      });
      const rows = await tx.zoneAcl.createManyAndReturn({ data: entries });
      const created = rows.map(toAcl).sort((a, b) => a.position - b.position);
      for (const acl of created) await logAcl(tx, 'POST', key, acl, actorUuid);
      return created;
    }),

  remove: (key, aclUuid, changeVersion, actorUuid) =>
    prisma.$transaction(async (tx) => {
      await lockZone(tx, key.zoneUuid);
      const row = await tx.zoneAcl.findFirst({ where: { ...key, uuid: aclUuid } });
      if (row === null) throw noAcl(aclUuid);
      requireNotStale(changeVersion, row.changeVersion);
      await tx.zoneAcl.delete({ where: { uuid: aclUuid }, select: { uuid: true } });
      await tx.zoneAcl.updateMany({
        where: { ...key, position: { gt: row.position } },
        data: { position: { decrement: 1 } },
      });
      await logAcl(tx, 'DELETE', key, toAcl(row), actorUuid);
    }),
});
