import type { AccessRule, DataAction } from './access-rule.js';
import type { DataVersion } from './data-version.js';
import type { PreparedRule, RelevantRules } from './source-access.js';
import { createVersionAccess, type VersionAccess } from './version-access.js';

/** The rules of all roles of a caller, compiled once and evaluated with every request. */
export interface DataAccess {
  /** The same object for the same question, until the version changes. */
  of(action: DataAction, version: DataVersion): VersionAccess;
}

const lowered = (values: readonly string[] | null): ReadonlySet<string> | undefined =>
  values === null ? undefined : new Set(values.map((value) => value.toLowerCase()));

const speaksOf = ({ actions }: AccessRule, action: DataAction): boolean =>
  actions === null || actions.includes(action) || (action === 'PUT' && actions.includes('PATCH'));

/**
 * Where no rule decides, the opposite of the last rule applies: a caller with denials only may do the rest, a caller with
 * allowances only may not.
 */
export const otherwiseOf = (rules: readonly AccessRule[]): AccessRule['effect'] =>
  rules.at(-1)?.effect === 'ALLOW' ? 'DENY' : 'ALLOW';

const maxRemembered = 1_000;

const isSame = (one: DataVersion, other: DataVersion): boolean =>
  one.model === other.model && one.zoneUuid === other.zoneUuid && one.domainUuid === other.domainUuid;

/**
 * Compiles the rules of roles, a list for each. Within a role the first rule that matches decides, separately for each
 * property; an ALLOW of any role is enough. A role without rules is given by those that its permissions amount to.
 *
 * @param zoneOfAdaptor zones of the adaptors that rules name; a missing adaptor does not exist
 */
export const compileDataAccess = (
  roles: readonly (readonly AccessRule[])[],
  zoneOfAdaptor: ReadonlyMap<string, string>,
): DataAccess => {
  const prepared = roles.map((rules) => ({
    otherwise: otherwiseOf(rules),
    rules: rules.map((rule): PreparedRule => ({
      rule,
      drUuids: lowered(rule.drUuids),
      properties: lowered(rule.properties),
    })),
  }));
  const ofAction = (action: DataAction): readonly RelevantRules[] =>
    prepared.map(({ otherwise, rules }) => ({ otherwise, rules: rules.filter(({ rule }) => speaksOf(rule, action)) }));
  const byAction = { GET: ofAction('GET'), POST: ofAction('POST'), PUT: ofAction('PUT'), DELETE: ofAction('DELETE') };
  const known = new Map<string, { readonly version: DataVersion; readonly access: VersionAccess }>();

  return {
    of: (action, version) => {
      const key = `${action} ${version.uuid}`;
      const before = known.get(key);
      if (before !== undefined && isSame(before.version, version)) return before.access;
      if (known.size >= maxRemembered) known.clear();
      const access = createVersionAccess(byAction[action], action, version, zoneOfAdaptor);
      known.set(key, { version, access });
      return access;
    },
  };
};
