import type { AccessRule, Action } from '@fds/access-rules';
import type { PrismaTransaction } from '@fds/database';
import type { DataAccessRule } from '../../domain/data-access/rule.js';

type RuleRow = Awaited<ReturnType<PrismaTransaction['dataAccessRule']['findFirstOrThrow']>>;

const anyOf = <Value>(values: readonly Value[]): readonly Value[] | null => (values.length === 0 ? null : values);

const toRule = ({ roleUuid: _roleUuid, ...row }: RuleRow): DataAccessRule => ({
  ...row,
  effect: row.effect === 'ALLOW' ? 'ALLOW' : 'DENY',
  actions: anyOf(row.actions as Action[]),
  properties: anyOf(row.properties),
  drUuids: anyOf(row.drUuids),
});

/** Content of a rule, as columns. */
export const toColumns = ({ actions, properties, drUuids, ...rule }: AccessRule) => ({
  effect: rule.effect,
  zoneUuid: rule.zoneUuid,
  adaptorUuid: rule.adaptorUuid,
  domainUuid: rule.domainUuid,
  domainVersionUuid: rule.domainVersionUuid,
  actions: [...(actions ?? [])],
  properties: [...(properties ?? [])],
  drUuids: [...(drUuids ?? [])],
});

export const loadRules = async (tx: PrismaTransaction, roleUuid: string): Promise<DataAccessRule[]> =>
  (await tx.dataAccessRule.findMany({ where: { roleUuid }, orderBy: { position: 'asc' } })).map(toRule);
