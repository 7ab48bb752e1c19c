import type { AccessRule } from './access-rule.js';
import { toVisible, type Visible } from './visible.js';

/** A rule with its lists as sets. */
export interface PreparedRule {
  readonly rule: AccessRule;
  /** In lower case. */
  readonly drUuids: ReadonlySet<string> | undefined;
  /** In lower case. */
  readonly properties: ReadonlySet<string> | undefined;
}

/** The rules of a role that may decide, in order, and the result when no rule decides. */
export interface RelevantRules {
  readonly rules: readonly PreparedRule[];
  readonly otherwise: AccessRule['effect'];
}

/** The actions that are allowed on the records of a version, for one holder of data. */
export interface SourceAccess {
  /** On records that no rule names. */
  readonly common: Visible;
  /** Records that rules name, in lower case. */
  readonly named: ReadonlySet<string>;
  of(recordUuid: string): Visible;
}

const collectAllowed = (
  { rules, otherwise }: RelevantRules,
  recordUuid: string | undefined,
  properties: readonly string[],
  allowed: Set<string>,
): void => {
  let undecided = properties.filter((name) => !allowed.has(name));
  const decide = (names: readonly string[], effect: AccessRule['effect']): void => {
    if (effect === 'ALLOW') for (const name of names) allowed.add(name);
  };
  for (const { rule, drUuids, properties: named } of rules) {
    if (undecided.length === 0) return;
    if (drUuids !== undefined && (recordUuid === undefined || !drUuids.has(recordUuid))) continue;
    if (named === undefined) {
      decide(undecided, rule.effect);
      return;
    }
    const matched = undecided.filter((name) => named.has(name.toLowerCase()));
    if (matched.length === 0) continue;
    decide(matched, rule.effect);
    undecided = undecided.filter((name) => !named.has(name.toLowerCase()));
  }
  decide(undecided, otherwise);
};

/** Records are decided on when they are asked for, once each. */
const maxRemembered = 10_000;

/** @param roles the rules of each of the holder's roles; an ALLOW in any role is enough */
export const createSourceAccess = (roles: readonly RelevantRules[], properties: readonly string[]): SourceAccess => {
  const decide = (recordUuid: string | undefined): Visible => {
    const allowed = new Set<string>();
    for (const role of roles) collectAllowed(role, recordUuid, properties, allowed);
    return toVisible(allowed, properties.length);
  };
  const common = decide(undefined);
  const named = new Set(roles.flatMap(({ rules }) => rules.flatMap(({ drUuids }) => [...(drUuids ?? [])])));
  const decided = new Map<string, Visible>();
  return {
    common,
    named,
    of: (recordUuid) => {
      const uuid = recordUuid.toLowerCase();
      if (!named.has(uuid)) return common;
      const known = decided.get(uuid) ?? decide(uuid);
      if (decided.size < maxRemembered) decided.set(uuid, known);
      return known;
    },
  };
};
