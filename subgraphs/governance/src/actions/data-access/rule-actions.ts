import type { Principal } from '@fds/auth';
import type { AccessRule } from '@fds/access-rules';
import type { PrismaTransaction } from '@fds/database';
import { AppError, checkChangeVersion, requireNotStale, type FaultList, type GivenChangeVersion } from '@fds/errors';
import { toPaged, type Paged, type PageRequest } from '@fds/graphql';
import { logIdentity } from '@fds/identity';
import { patchRule, readRule } from '../../domain/data-access/read-rule.js';
import { maxRules, type DataAccessRule, type DataAccessRuleInput } from '../../domain/data-access/rule.js';
import { moveShift, placesOf, type PositionShift } from '../../domain/ordering/move-shift.js';
import { readPosition } from '../../domain/ordering/read-position.js';
import { changeZone } from '../identity/change-zone.js';
import type { IdentityTools } from '../identity/identity-tools.js';
import type { RoleKey } from '../identity/roles/role-actions.js';
import { loadRules, toColumns } from '../../store/data-access/rule-rows.js';
import { findUnknownSelectors, type RuleAuthor } from './unknown-selectors.js';

export interface RuleKey extends RoleKey {
  readonly ruleUuid: string;
}

/** The data access rules of roles. Positions of a role's rules are always 0, 1, 2 ... */
export interface RuleActions {
  /** @throws AppError NOT_FOUND */
  list(key: RoleKey, page: PageRequest): Promise<Paged<DataAccessRule>>;
  /** @throws AppError NOT_FOUND */
  read(key: RuleKey): Promise<DataAccessRule>;
  /** Adds rules at the end. @throws AppError NOT_FOUND for the role, VALIDATION_FAILED, UNKNOWN_REFERENCE */
  add(
    key: RoleKey,
    inputs: readonly DataAccessRuleInput[],
    principal: Principal,
    faults: FaultList,
  ): Promise<DataAccessRule[]>;
  /** Replaces the rules of the role, and returns the first page of them. */
  replaceAll(
    key: RoleKey,
    inputs: readonly DataAccessRuleInput[],
    principal: Principal,
    faults: FaultList,
  ): Promise<Paged<DataAccessRule>>;
  /** @throws AppError those of `add`, and STALE_CHANGE_VERSION */
  replace(key: RuleKey, input: DataAccessRuleInput, principal: Principal, faults: FaultList): Promise<DataAccessRule>;
  patch(key: RuleKey, input: DataAccessRuleInput, principal: Principal, faults: FaultList): Promise<DataAccessRule>;
  remove(key: RuleKey, changeVersion: GivenChangeVersion, principal: Principal): Promise<void>;
}

const firstPage: PageRequest = { page: 0, size: 50 };

const noRule = (ruleUuid: string): AppError => new AppError('NOT_FOUND', `the role has no rule ${ruleUuid}`);

const requireRole = async (tx: PrismaTransaction, { zoneUuid, roleUuid }: RoleKey) => {
  const role = await tx.role.findUnique({ where: { uuid: roleUuid, zoneUuid } });
  if (role === null) throw new AppError('NOT_FOUND', `there is no role ${roleUuid} in the zone`);
  return role;
};

const requireRule = (rules: readonly DataAccessRule[], ruleUuid: string): DataAccessRule => {
  const rule = rules.find(({ uuid }) => uuid === ruleUuid);
  if (rule === undefined) throw noRule(ruleUuid);
  return rule;
};

const shiftRules = async (tx: PrismaTransaction, { roleUuid }: RoleKey, shift: PositionShift): Promise<void> => {
  const where = { roleUuid, ...placesOf(shift) };
  await tx.dataAccessRule.updateMany({ where, data: { position: { increment: shift.by } } });
};

const withoutDates = ({ dateCreated: _created, lastUpdated: _updated, ...rule }: DataAccessRule) => rule;

const pageOf = (rules: readonly DataAccessRule[], page: PageRequest): Paged<DataAccessRule> =>
  toPaged(rules.slice(page.page * page.size, (page.page + 1) * page.size), page, rules.length);

const authorOf = ({ dataAccess }: Principal, present: readonly AccessRule[]): RuleAuthor => ({ dataAccess, present });

export const createRuleActions = (tools: IdentityTools): RuleActions => {
  const { database, now, newUuid } = tools;
  const { prisma } = database;

  const readAll = async (
    tx: PrismaTransaction,
    inputs: readonly DataAccessRuleInput[],
    { count, author }: { readonly count: number; readonly author: RuleAuthor },
    faults: FaultList,
  ): Promise<AccessRule[]> => {
    if (count + inputs.length > maxRules) faults.add('', 'OUT_OF_RANGE', `a role has at most ${maxRules} rules`);
    const rules = inputs.map((input, index) => readRule(input, `/${index}`, faults));
    await findUnknownSelectors(
      tx,
      rules.map((rule, index) => ({ rule, at: `/${index}` })),
      faults,
      author,
    );
    faults.throwIfAny();
    return rules;
  };

  const insert = async (
    tx: PrismaTransaction,
    { roleUuid }: RoleKey,
    rules: readonly AccessRule[],
    from: number,
  ): Promise<void> => {
    const time = now();
    await tx.dataAccessRule.createMany({
      data: rules.map((rule, index) => ({
        uuid: newUuid(),
        roleUuid,
        position: from + index,
        ...toColumns(rule),
        dateCreated: time,
        lastUpdated: time,
      })),
    });
  };

  /** Changes the rules of a role. The change log records it as a change of the role. */
  const change = <Result>(
    key: RoleKey,
    principal: Principal,
    work: (tx: PrismaTransaction, rules: readonly DataAccessRule[]) => Promise<Result>,
  ): Promise<Result> =>
    changeZone(
      tools,
      key.zoneUuid,
      principal,
      async (tx) => {
        const role = await requireRole(tx, key);
        const result = await work(tx, await loadRules(tx, key.roleUuid));
        const after = await loadRules(tx, key.roleUuid);
        const changed = { ...role, dataAccessRules: after.map(withoutDates) };
        await logIdentity(tx, principal, 'PATCH', 'Role', changed);
        return result;
      },
      key.roleUuid,
    );

  const update = (
    { ruleUuid, ...key }: RuleKey,
    input: DataAccessRuleInput,
    { principal, faults }: { readonly principal: Principal; readonly faults: FaultList },
    toWhole: (current: DataAccessRule) => DataAccessRuleInput,
  ): Promise<DataAccessRule> =>
    change(key, principal, async (tx, rules) => {
      const current = requireRule(rules, ruleUuid);
      checkChangeVersion(input.changeVersion, current.changeVersion, faults);
      const rule = readRule(toWhole(current), '', faults);
      await findUnknownSelectors(tx, [{ rule, at: '' }], faults, authorOf(principal, rules));
      const position = readPosition(input.position, current.position, rules.length, faults);
      faults.throwIfAny();
      const shift = moveShift(current.position, position);
      if (shift !== undefined) await shiftRules(tx, key, shift);
      await tx.dataAccessRule.update({
        where: { uuid: ruleUuid },
        data: { ...toColumns(rule), position, lastUpdated: now(), changeVersion: { increment: 1 } },
        select: { uuid: true },
      });
      return requireRule(await loadRules(tx, key.roleUuid), ruleUuid);
    });

  return {
    list: async (key, page) => {
      await requireRole(prisma, key);
      return pageOf(await loadRules(prisma, key.roleUuid), page);
    },
    read: async ({ ruleUuid, ...key }) => {
      await requireRole(prisma, key);
      return requireRule(await loadRules(prisma, key.roleUuid), ruleUuid);
    },
    add: (key, inputs, principal, faults) =>
      change(key, principal, async (tx, rules) => {
        const added = { count: rules.length, author: authorOf(principal, rules) };
        await insert(tx, key, await readAll(tx, inputs, added, faults), rules.length);
        return (await loadRules(tx, key.roleUuid)).slice(rules.length);
      }),
    replaceAll: (key, inputs, principal, faults) =>
      change(key, principal, async (tx, present) => {
        const rules = await readAll(tx, inputs, { count: 0, author: authorOf(principal, present) }, faults);
        await tx.dataAccessRule.deleteMany({ where: { roleUuid: key.roleUuid } });
        await insert(tx, key, rules, 0);
        return pageOf(await loadRules(tx, key.roleUuid), firstPage);
      }),
    replace: (key, input, principal, faults) => update(key, input, { principal, faults }, () => input),
    patch: (key, input, principal, faults) =>
      update(key, input, { principal, faults }, (current) => patchRule(current, input)),
    remove: ({ ruleUuid, ...key }, changeVersion, principal) =>
      change(key, principal, async (tx, rules) => {
        const rule = requireRule(rules, ruleUuid);
        requireNotStale(changeVersion, rule.changeVersion);
        await tx.dataAccessRule.delete({ where: { uuid: ruleUuid }, select: { uuid: true } });
        await shiftRules(tx, key, { gte: rule.position + 1, by: -1 });
      }),
  };
};
