import { inTransaction, type PrismaTransaction } from '@fds/database';
import { filterText, orderOf, readPage, type PageRequest, type Paged } from '@fds/graphql';
import { findOperationalMasks, type OperationalEntry } from '@fds/governance-rules';
import { checkChangeVersion, FaultList, requireNotStale, type GivenChangeVersion } from '@fds/errors';
import {
  applyInput,
  newOperationalAcl,
  type ChangeOf,
  type InputOf,
  type OperationalAclContent,
} from '../../domain/acls/acl-content.js';
import { operationalAclWarnings, type AclWarning, type NamedByAcls } from '../../domain/acls/acl-warnings.js';
import { frontOf, requirePlacement, type Placement } from '../../domain/acls/placement.js';
import { readOperationalAcl } from '../../domain/acls/read-content.js';
import { moveShift } from '../../domain/ordering/move-shift.js';
import { readPosition } from '../../domain/ordering/read-position.js';
import { checkAclReferences } from './acl-references.js';
import {
  logOperationalAcls,
  toOperationalAcl,
  toOperationalEntry,
  type OperationalAcl,
} from '../../store/acls/acl-rows.js';
import { shiftOperationalAcls } from '../../store/acls/chain-positions.js';
import { lockOperationalChain, requireOperationalAcl } from './require-acl.js';
import type { AclTools, Author } from './zone-acl-actions.js';

/** An entry after it was saved. */
type SavedOperationalAcl = OperationalAcl & { readonly warnings: readonly AclWarning[] };

/** The effect of an entry at a position of the chain. */
interface MaskedCheck {
  readonly masked: boolean;
  /** Entries in front of it that cover everything that it covers. */
  readonly maskedBy: readonly OperationalAcl[];
  readonly position: number;
}

export interface OperationalAclFilter {
  readonly name?: string | null;
  readonly sourceZoneUuid?: string | null;
  readonly sourceAdaptorUuid?: string | null;
  readonly domainVersionUuid?: string | null;
  readonly active?: boolean | null;
  readonly sort?: string | null;
}

/** Entries of the deployment's operational chain. The functions are those of the zones' chains. */
export interface OperationalAclActions {
  list(filter: OperationalAclFilter, page: PageRequest): Promise<Paged<OperationalAcl>>;
  read(aclUuid: string): Promise<OperationalAcl>;
  create(
    inputs: readonly InputOf<OperationalAclContent>[],
    placement: Placement,
    author: Author,
  ): Promise<SavedOperationalAcl[]>;
  change(
    aclUuid: string,
    change: { readonly action: 'PUT' | 'PATCH'; readonly input: ChangeOf<OperationalAclContent> },
    author: Author,
  ): Promise<SavedOperationalAcl>;
  remove(aclUuid: string, changeVersion: GivenChangeVersion, author: Author): Promise<void>;
  /** Saves nothing. @throws AppError VALIDATION_FAILED, UNKNOWN_REFERENCE, INVALID_PARAMETER */
  check(input: InputOf<OperationalAclContent>, placement: Placement, author: Author): Promise<MaskedCheck>;
}

const sortFields = ['position', 'name', 'active', 'dateCreated', 'lastUpdated'];

const whereOf = (filter: OperationalAclFilter) => {
  const name = filterText('name', filter.name);
  const { sourceZoneUuid, sourceAdaptorUuid, domainVersionUuid, active } = filter;
  return {
    ...(name === undefined ? {} : { name }),
    ...(sourceZoneUuid ? { sourceZoneUuid } : {}),
    ...(sourceAdaptorUuid ? { sourceAdaptorUuid } : {}),
    ...(domainVersionUuid ? { domainVersionUuid } : {}),
    ...(active === null || active === undefined ? {} : { active }),
  };
};

const loadChain = async (tx: PrismaTransaction): Promise<OperationalAcl[]> =>
  (await tx.operationalAcl.findMany({ orderBy: { position: 'asc' } })).map(toOperationalAcl);

const withWarnings = async (
  tx: PrismaTransaction,
  saved: readonly OperationalAcl[],
  named: NamedByAcls,
): Promise<SavedOperationalAcl[]> => {
  const chain = (await loadChain(tx)).map(toOperationalEntry);
  return saved.map((acl) => {
    const entry = toOperationalEntry(acl);
    return { ...acl, warnings: operationalAclWarnings(entry, findOperationalMasks(chain, entry), named) };
  });
};

const contentOf = (acl: OperationalAcl): OperationalAclContent => {
  const { name, sourceZoneUuid, sourceAdaptorUuid, domainVersionUuid, post, active } = acl;
  return { name, sourceZoneUuid, sourceAdaptorUuid, domainVersionUuid, post, delete: acl.delete, active };
};

export const createOperationalAclActions = ({ database, now, newUuid }: AclTools): OperationalAclActions => {
  const { prisma } = database;
  return {
    list: (filter, request) => {
      const orderBy = orderOf(filter.sort, sortFields, 'position');
      const where = whereOf(filter);
      return readPage(
        request,
        () => prisma.operationalAcl.count({ where }),
        async (range) => (await prisma.operationalAcl.findMany({ where, orderBy, ...range })).map(toOperationalAcl),
      );
    },

    read: async (aclUuid) => toOperationalAcl(await requireOperationalAcl(prisma, aclUuid)),

    create: (inputs, placement, { actorUuid, purpose }) =>
      inTransaction(database, async (tx) => {
        await lockOperationalChain(tx);
        const length = await tx.operationalAcl.count();
        const faults = new FaultList(purpose);
        const placeOf = (index: number): string => `/${index}`;
        const contents = inputs.map((input, index) =>
          readOperationalAcl(applyInput(newOperationalAcl, input), placeOf(index), faults),
        );
        const named = await checkAclReferences(tx, inputs, placeOf, faults);
        requirePlacement(placement, length, faults);
        faults.throwIfAny();
        if (contents.length === 0) return [];
        const front = frontOf(placement, length);
        await shiftOperationalAcls(tx, { gte: front, by: contents.length });
        const time = now();
        const rows = await tx.operationalAcl.createManyAndReturn({
          data: contents.map((content, index) => ({
            ...content,
            uuid: newUuid(),
            position: front + index,
            dateCreated: time,
            lastUpdated: time,
          })),
        });
        const created = rows.map(toOperationalAcl).sort((a, b) => a.position - b.position);
        await logOperationalAcls(tx, 'POST', created, actorUuid);
        return withWarnings(tx, created, named);
      }),

    change: (aclUuid, { action, input }, { actorUuid, purpose }) =>
      inTransaction(database, async (tx) => {
        await lockOperationalChain(tx);
        const row = await requireOperationalAcl(tx, aclUuid);
        const faults = new FaultList(purpose);
        checkChangeVersion(input.changeVersion, row.changeVersion, faults);
        const base = action === 'PUT' ? newOperationalAcl : contentOf(toOperationalAcl(row));
        const content = readOperationalAcl(applyInput(base, input), '', faults);
        await checkAclReferences(tx, [input], () => '', faults);
        const position = readPosition(input.position, row.position, await tx.operationalAcl.count(), faults);
        faults.throwIfAny();
        const shift = moveShift(row.position, position);
        if (shift !== undefined) await shiftOperationalAcls(tx, shift);
        const saved = toOperationalAcl(
          await tx.operationalAcl.update({
            where: { uuid: aclUuid },
            data: { ...content, position, lastUpdated: now(), changeVersion: { increment: 1 } },
          }),
        );
        await logOperationalAcls(tx, action, [saved], actorUuid);
        const named = await checkAclReferences(tx, [saved], () => '', new FaultList());
        const [warned] = await withWarnings(tx, [saved], named);
        return warned ?? { ...saved, warnings: [] };
      }),

    remove: (aclUuid, changeVersion, { actorUuid }) =>
      inTransaction(database, async (tx) => {
        await lockOperationalChain(tx);
        const row = await requireOperationalAcl(tx, aclUuid);
        requireNotStale(changeVersion, row.changeVersion);
        await tx.operationalAcl.delete({ where: { uuid: aclUuid }, select: { uuid: true } });
        await tx.aclMetric.deleteMany({ where: { subjectUuid: aclUuid, chain: 'OPERATIONAL' } });
        await shiftOperationalAcls(tx, { gte: row.position + 1, by: -1 });
        await logOperationalAcls(tx, 'DELETE', [toOperationalAcl(row)], actorUuid);
      }),

    check: (input, placement, { purpose }) =>
      inTransaction(database, async (tx) => {
        const chain = await loadChain(tx);
        const faults = new FaultList(purpose);
        const content = readOperationalAcl(applyInput(newOperationalAcl, input), '', faults);
        await checkAclReferences(tx, [input], () => '', faults);
        requirePlacement(placement, chain.length, faults);
        faults.throwIfAny();
        const position = frontOf(placement, chain.length);
        const asked: OperationalEntry = { ...content, uuid: '', position };
        const masks = new Set(findOperationalMasks(chain.map(toOperationalEntry), asked).map(({ uuid }) => uuid));
        return { masked: masks.size > 0, maskedBy: chain.filter(({ uuid }) => masks.has(uuid)), position };
      }),
  };
};
