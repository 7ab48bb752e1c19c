import { allowsAllData, type DataAccess } from '@fds/data-access';
import type { PrismaTransaction } from '@fds/database';
import { compileRuleLists, listsOfRoles, loadRulesOfRoles, type RuleLists } from './data-rules.js';
import type { HeldGrant } from './load-grants.js';

/**
 * What each of somebody's roles says of data. What somebody was granted without a role allows nothing against the rules of a
 * role.
 *
 * @param grants of the roles, at least
 * @returns undefined where no role has rules, or one of them allows everything: permissions alone decide
 */
export const loadRuleLists = async (
  tx: PrismaTransaction,
  roleUuids: readonly string[],
  grants: readonly HeldGrant[],
): Promise<RuleLists | undefined> => {
  const held = [...new Set(roleUuids)];
  if (held.length === 0) return undefined;
  const ruled = await loadRulesOfRoles(tx, held);
  if (ruled.size === 0) return undefined;
  const lists = listsOfRoles(held, ruled, grants);
  // an ALLOW of any role is enough: statements for everybody else serve them too
  return lists.some(allowsAllData) ? undefined : lists;
};

/** What the rules of somebody's roles leave of the data; undefined as `loadRuleLists`. */
export const loadDataAccess = async (
  tx: PrismaTransaction,
  roleUuids: readonly string[],
  grants: readonly HeldGrant[],
): Promise<DataAccess | undefined> => {
  const lists = await loadRuleLists(tx, roleUuids, grants);
  return lists === undefined ? undefined : compileRuleLists(tx, lists);
};
