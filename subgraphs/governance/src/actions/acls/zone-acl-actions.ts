import type { DataAccess } from '@fds/access-rules';
import { inTransaction, type Database, type PrismaTransaction } from '@fds/database';
import {
  filterText,
  orderOf,
  readPage,
  toPaged,
  type PageRequest,
  type Paged,
  type RequestContext,
} from '@fds/graphql';
import { findMasks } from '@fds/governance-rules';
import { checkChangeVersion, FaultList, requireNotStale, type GivenChangeVersion } from '@fds/errors';
import {
  applyInput,
  newZoneAcl,
  type ChangeOf,
  type InputOf,
  type ZoneAclContent,
} from '../../domain/acls/acl-content.js';
import { zoneAclWarnings, type AclWarning, type NamedByAcls } from '../../domain/acls/acl-warnings.js';
import { frontOf, requirePlacement, type Placement } from '../../domain/acls/placement.js';
import { readZoneAcl } from '../../domain/acls/read-content.js';
import { moveShift } from '../../domain/ordering/move-shift.js';
import { readPosition } from '../../domain/ordering/read-position.js';
import { lockZone, requireZone } from '../require-zone.js';
import { checkAclReferences } from './acl-references.js';
import { logZoneAcls, toAclEntry, toZoneAcl, type ChainKey, type ZoneAcl } from '../../store/acls/acl-rows.js';
import { shiftZoneAcls } from '../../store/acls/chain-positions.js';
import { requireZoneAcl } from './require-acl.js';
import { requireKnownProperties, type MayReadVersion } from './strict-properties.js';

/** The caller of a change or of a check. */
export interface Author extends Pick<RequestContext, 'purpose'> {
  readonly actorUuid: string | undefined;
  /** The data that rules show to the author; undefined when these are all data. */
  readonly dataAccess?: DataAccess | undefined;
  /** Given when properties that do not exist are faults. */
  readonly strictFor?: MayReadVersion | undefined;
}

/** An entry after it was saved. */
type SavedZoneAcl = ZoneAcl & { readonly warnings: readonly AclWarning[] };

export interface ZoneAclFilter {
  readonly name?: string | null;
  readonly sourceZoneUuid?: string | null;
  readonly sourceAdaptorUuid?: string | null;
  readonly destinationZoneUuid?: string | null;
  readonly destinationAdaptorUuid?: string | null;
  readonly domainVersionUuid?: string | null;
  /** Entries that name this property. */
  readonly property?: string | null;
  /** Entries to which this record is attached. */
  readonly drUuid?: string | null;
  readonly active?: boolean | null;
  readonly sort?: string | null;
}

/** Entries of the zones' chains. Positions of a chain are always 0, 1, 2 ... without gaps. */
export interface ZoneAclActions {
  /** @throws AppError NOT_FOUND when the zone does not exist, INVALID_PARAMETER for an unknown sort key */
  list(key: ChainKey, filter: ZoneAclFilter, page: PageRequest): Promise<Paged<ZoneAcl>>;
  /** @throws AppError NOT_FOUND */
  read(key: ChainKey, aclUuid: string): Promise<ZoneAcl>;
  /**
   * Returns the new entries in the order of the inputs.
   *
   * @throws AppError NOT_FOUND for the zone; VALIDATION_FAILED, UNKNOWN_REFERENCE, INVALID_PARAMETER
   */
  create(
    key: ChainKey,
    inputs: readonly InputOf<ZoneAclContent>[],
    placement: Placement,
    author: Author,
  ): Promise<SavedZoneAcl[]>;
  /**
   * PUT replaces all values, PATCH changes those that are not null. @throws AppError NOT_FOUND, STALE_CHANGE_VERSION,
   * and those of `create`
   */
  change(
    key: ChainKey,
    aclUuid: string,
    change: { readonly action: 'PUT' | 'PATCH'; readonly input: ChangeOf<ZoneAclContent> },
    author: Author,
  ): Promise<SavedZoneAcl>;
  /** @throws AppError NOT_FOUND, STALE_CHANGE_VERSION when another `changeVersion` is given */
  remove(key: ChainKey, aclUuid: string, changeVersion: GivenChangeVersion, author: Author): Promise<void>;
}

const sortFields = ['position', 'name', 'active', 'dateCreated', 'lastUpdated'];
const inOrder = { position: 'asc' } as const;

const given = <Name extends string, Value>(name: Name, value: Value | null | undefined) =>
  value === null || value === undefined ? {} : { [name]: value };

const whereOf = (key: ChainKey, filter: ZoneAclFilter) => {
  const name = filterText('name', filter.name);
  const property = filterText('property', filter.property);
  return {
    ...key,
    ...given('name', name),
    ...given('sourceZoneUuid', filter.sourceZoneUuid),
    ...given('sourceAdaptorUuid', filter.sourceAdaptorUuid),
    ...given('destinationZoneUuid', filter.destinationZoneUuid),
    ...given('destinationAdaptorUuid', filter.destinationAdaptorUuid),
    ...given('domainVersionUuid', filter.domainVersionUuid),
    ...given('active', filter.active),
    ...(property === undefined ? {} : { properties: { has: property } }),
    ...(filter.drUuid ? { records: { some: { recordUuid: filter.drUuid } } } : {}),
  };
};

const withRecords = { records: { select: { recordUuid: true } } } as const;

const columnsOf = (content: ZoneAclContent) => ({ ...content, properties: [...(content.properties ?? [])] });

/** Adds warnings to saved entries that will never take effect. */
const withWarnings = async (
  tx: PrismaTransaction,
  key: ChainKey,
  saved: readonly ZoneAcl[],
  named: NamedByAcls,
): Promise<SavedZoneAcl[]> => {
  const last = Math.max(...saved.map(({ position }) => position));
  const rows = await tx.zoneAcl.findMany({ where: { ...key, position: { lte: last } }, include: withRecords });
  const chain = rows.map(({ records, ...row }) =>
    toAclEntry(
      toZoneAcl(row),
      key.chain,
      records.map(({ recordUuid }) => recordUuid),
    ),
  );
  const entries = new Map(chain.map((entry) => [entry.uuid, entry]));
  const masksOf = findMasks(chain);
  return saved.map((acl) => {
    const entry = entries.get(acl.uuid);
    return { ...acl, warnings: entry === undefined ? [] : zoneAclWarnings(entry, masksOf(entry), named) };
  });
};

/** The content of a stored entry, in the form of a caller's input. */
const contentOf = (acl: ZoneAcl): ZoneAclContent => {
  const { name, sourceZoneUuid, sourceAdaptorUuid, destinationZoneUuid, destinationAdaptorUuid } = acl;
  const { domainVersionUuid, properties, get, post, put, active } = acl;
  return {
    name,
    sourceZoneUuid,
    sourceAdaptorUuid,
    destinationZoneUuid,
    destinationAdaptorUuid,
    domainVersionUuid,
    properties,
    get,
    post,
    put,
    delete: acl.delete,
    active,
  };
};

export interface AclTools {
  readonly database: Database;
  readonly now: () => Date;
  /** UUID version 7. */
  readonly newUuid: () => string;
}

export const createZoneAclActions = ({ database, now, newUuid }: AclTools): ZoneAclActions => {
  const { prisma } = database;
  return {
    list: async (key, filter, request) => {
      const orderBy = orderOf(filter.sort, sortFields, 'position');
      const where = whereOf(key, filter);
      await requireZone(prisma, key.zoneUuid);
      const isWhole = Object.keys(where).length === Object.keys(key).length && !filter.sort;
      if (!isWhole) {
        return readPage(
          request,
          () => prisma.zoneAcl.count({ where }),
          async (range) => (await prisma.zoneAcl.findMany({ where, orderBy, ...range })).map(toZoneAcl),
        );
      }
      // positions have no gaps, so a page is a range of positions at any depth
      const total = await prisma.zoneAcl.count({ where });
      const gte = request.page * request.size;
      const inRange = { ...where, position: { gte, lt: gte + request.size } };
      const rows = gte >= total ? [] : await prisma.zoneAcl.findMany({ where: inRange, orderBy: inOrder });
      return toPaged(rows.map(toZoneAcl), request, total);
    },

    read: async (key, aclUuid) => toZoneAcl(await requireZoneAcl(prisma, key, aclUuid)),

    create: (key, inputs, placement, { actorUuid, purpose, strictFor }) =>
      inTransaction(database, async (tx) => {
        await lockZone(tx, key.zoneUuid);
        const length = await tx.zoneAcl.count({ where: { ...key } });
        const faults = new FaultList(purpose);
        const placeOf = (index: number): string => `/${index}`;
        const contents = inputs.map((input, index) =>
          readZoneAcl(applyInput(newZoneAcl, input), key, placeOf(index), faults),
        );
        const named = await checkAclReferences(tx, inputs, placeOf, faults);
        if (strictFor !== undefined) await requireKnownProperties(tx, contents, placeOf, strictFor, faults);
        requirePlacement(placement, length, faults);
        faults.throwIfAny();
        if (contents.length === 0) return [];
        const front = frontOf(placement, length);
        await shiftZoneAcls(tx, { ...key }, { gte: front, by: contents.length });
        const time = now();
        const rows = await tx.zoneAcl.createManyAndReturn({
          data: contents.map((content, index) => ({
            ...columnsOf(content),
            ...key,
            uuid: newUuid(),
            position: front + index,
            dateCreated: time,
            lastUpdated: time,
          })),
        });
        const created = rows.map(toZoneAcl).sort((a, b) => a.position - b.position);
        await logZoneAcls(tx, 'POST', key, created, actorUuid);
        return withWarnings(tx, key, created, named);
      }),

    change: (key, aclUuid, { action, input }, { actorUuid, purpose, strictFor }) =>
      inTransaction(database, async (tx) => {
        await lockZone(tx, key.zoneUuid);
        const row = await requireZoneAcl(tx, key, aclUuid);
        const faults = new FaultList(purpose);
        checkChangeVersion(input.changeVersion, row.changeVersion, faults);
        const base = action === 'PUT' ? newZoneAcl : contentOf(toZoneAcl(row));
        const content = readZoneAcl(applyInput(base, input), key, '', faults);
        await checkAclReferences(tx, [input], () => '', faults);
        if (strictFor !== undefined) await requireKnownProperties(tx, [content], () => '', strictFor, faults);
        const position = readPosition(input.position, row.position, await tx.zoneAcl.count({ where: key }), faults);
        faults.throwIfAny();
        const shift = moveShift(row.position, position);
        if (shift !== undefined) await shiftZoneAcls(tx, { ...key }, shift);
        const saved = toZoneAcl(
          await tx.zoneAcl.update({
            where: { uuid: aclUuid },
            data: { ...columnsOf(content), position, lastUpdated: now(), changeVersion: { increment: 1 } },
          }),
        );
        await logZoneAcls(tx, action, key, [saved], actorUuid);
        const named = await checkAclReferences(tx, [saved], () => '', new FaultList());
        const [warned] = await withWarnings(tx, key, [saved], named);
        return warned ?? { ...saved, warnings: [] };
      }),

    remove: (key, aclUuid, changeVersion, { actorUuid }) =>
      inTransaction(database, async (tx) => {
        await lockZone(tx, key.zoneUuid);
        const row = await requireZoneAcl(tx, key, aclUuid);
        requireNotStale(changeVersion, row.changeVersion);
        await tx.zoneAcl.delete({ where: { uuid: aclUuid }, select: { uuid: true } });
        await tx.aclMetric.deleteMany({ where: { subjectUuid: aclUuid, chain: key.chain } });
        await shiftZoneAcls(tx, { ...key }, { gte: row.position + 1, by: -1 });
        await logZoneAcls(tx, 'DELETE', key, [toZoneAcl(row)], actorUuid);
      }),
  };
};
