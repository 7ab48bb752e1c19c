import {
  allowsAllData,
  compileDataAccess,
  rulesOfPermissions,
  type AccessRule,
  type DataAccess,
} from '@fds/data-access';
import type { PrismaTransaction } from '@fds/database';
import { compileGrants, type Action } from '@fds/permissions';
import type { HeldGrant } from './load-grants.js';

const anyOf = <Value>(values: readonly Value[]): readonly Value[] | null => (values.length === 0 ? null : values);

const zonesOfAdaptors = async (tx: PrismaTransaction, uuids: readonly string[]): Promise<Map<string, string>> => {
  if (uuids.length === 0) return new Map();
  const adaptors = await tx.adaptor.findMany({
    where: { uuid: { in: [...new Set(uuids)] } },
    select: { uuid: true, zoneUuid: true },
  });
  return new Map(adaptors.map(({ uuid, zoneUuid }) => [uuid, zoneUuid]));
};

/**
 * What the rules of somebody's roles leave of the data. A role without rules allows what its own permissions allow; what
 * somebody was granted without a role allows nothing against the rules of a role.
 *
 * @param grants of the roles, at least
 * @returns undefined where no role has rules, or one of them allows everything: permissions alone decide
 */
export const loadDataAccess = async (
  tx: PrismaTransaction,
  roleUuids: readonly string[],
  grants: readonly HeldGrant[],
): Promise<DataAccess | undefined> => {
  const held = [...new Set(roleUuids)];
  if (held.length === 0) return undefined;
  const rows = await tx.dataAccessRule.findMany({
    where: { roleUuid: { in: held } },
    orderBy: [{ roleUuid: 'asc' }, { position: 'asc' }],
  });
  if (rows.length === 0) return undefined;
  const ruled = new Map<string, AccessRule[]>();
  for (const { roleUuid, effect, actions, properties, drUuids, ...selectors } of rows) {
    const rules = ruled.get(roleUuid) ?? [];
    rules.push({
      effect: effect === 'ALLOW' ? 'ALLOW' : 'DENY',
      actions: anyOf(actions as Action[]),
      properties: anyOf(properties),
      drUuids: anyOf(drUuids),
      zoneUuid: selectors.zoneUuid,
      adaptorUuid: selectors.adaptorUuid,
      domainUuid: selectors.domainUuid,
      domainVersionUuid: selectors.domainVersionUuid,
    });
    ruled.set(roleUuid, rules);
  }
  const roles = held.map((uuid) => {
    const own = grants.filter(({ source }) => source.type === 'ROLE' && source.uuid === uuid);
    return ruled.get(uuid) ?? rulesOfPermissions(own, compileGrants(own));
  });
  // an ALLOW of any role is enough: statements for everybody else serve them too
  if (roles.some(allowsAllData)) return undefined;
  return compileDataAccess(
    roles,
    await zonesOfAdaptors(
      tx,
      rows.flatMap(({ adaptorUuid }) => adaptorUuid ?? []),
    ),
  );
};
