import { rulesOfPermissions } from '@fds/data-access';
import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import { compileGrants } from '@fds/permissions';
import { rulesAllowMore, type RuleLists } from './data-rules.js';
import { loadRuleLists } from './load-data-access.js';
import { loadGrants } from './load-grants.js';
import { holdersOf, loadMemberships } from './load-memberships.js';

/** What somebody has of the data. */
export interface HeldData {
  readonly lists: RuleLists;
  /** Do rules hold anything back? Without, permissions alone decide. */
  readonly isHeldByRules: boolean;
}

/** What rules, or permissions where there are none, leave a person of the data, as the transaction sees it. */
export const loadHeldData = async (tx: PrismaTransaction, personUuid: string): Promise<HeldData> => {
  const zones = await loadMemberships(tx, personUuid);
  const held = await loadGrants(
    tx,
    zones.flatMap((zone) => holdersOf(zone, '')),
  );
  const roleUuids = zones.flatMap(({ roles }) => roles.map((role) => role.uuid));
  const lists = await loadRuleLists(tx, roleUuids, held);
  return { lists: lists ?? [rulesOfPermissions(held, compileGrants(held))], isHeldByRules: lists !== undefined };
};

/**
 * Lets a person who is held by data access rules change nothing by which they would have more data: not the rules of their
 * roles, nor which roles they have.
 *
 * @throws AppError FORBIDDEN
 */
export const keepingOwnData = async <T>(
  tx: PrismaTransaction,
  personUuid: string,
  work: () => Promise<T>,
): Promise<T> => {
  const before = await loadHeldData(tx, personUuid);
  const result = await work();
  if (!before.isHeldByRules) return result;
  const after = await loadHeldData(tx, personUuid);
  if (await rulesAllowMore(tx, after.lists, before.lists))
    throw new AppError('FORBIDDEN', 'data access rules hold back from you what you would have by this');
  return result;
};
