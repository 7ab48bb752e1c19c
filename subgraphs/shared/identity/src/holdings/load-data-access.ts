import type { ZoneMembership } from '@fds/auth';
import { allowsAllData } from '@fds/access-rules';
import type { PrismaTransaction } from '@fds/database';
import { listsOfMemberships, loadRulesOfRoles, type RuleLists } from './data-rules.js';
import type { SourcedGrant } from './load-grants.js';
import { holdersOf } from './load-memberships.js';

/**
 * The rules of a person's memberships.
 *
 * @param granted grants of the memberships, at least
 * @returns undefined where no role has rules, or a membership or role allows everything: permissions alone decide
 */
export const loadRuleLists = async (
  tx: PrismaTransaction,
  zones: readonly ZoneMembership[],
  granted: readonly SourcedGrant[],
): Promise<RuleLists | undefined> => {
  const memberships = zones.map((zone) => {
    const holders = new Set(holdersOf(zone, '').map(({ uuid }) => uuid));
    return {
      roleUuids: zone.roles.map(({ uuid }) => uuid),
      grants: granted.filter(({ source }) => holders.has(source.uuid)),
    };
  });
  const roleUuids = memberships.flatMap((membership) => membership.roleUuids);
  if (roleUuids.length === 0) return undefined;
  const lists = listsOfMemberships(memberships, await loadRulesOfRoles(tx, roleUuids));
  // an ALLOW of any list is enough: statements for callers without rules serve them too
  return lists?.some(allowsAllData) === true ? undefined : lists;
};
