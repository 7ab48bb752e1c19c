import type { Action } from '../permissions/action.js';
import type { AccessRule } from './access-rule.js';
import { otherwiseOf } from './compile-data-access.js';

const any: Omit<AccessRule, 'effect'> = {
  actions: null,
  zoneUuid: null,
  adaptorUuid: null,
  domainUuid: null,
  domainVersionUuid: null,
  properties: null,
  drUuids: null,
};

/** PUT and PATCH mean the same in rules. */
const sameAction = (action: Action): Action => (action === 'PATCH' ? 'PUT' : action);

const inBoth = <Value>(
  one: readonly Value[] | null,
  other: readonly Value[] | null,
  keyOf: (value: Value) => Value,
): readonly Value[] | null => {
  if (one === null) return other;
  if (other === null) return one;
  const keys = new Set(other.map(keyOf));
  return one.filter((value) => keys.has(keyOf(value)));
};

/**
 * The rules that allow exactly what the rules of a role and the rules of permissions both allow.
 *
 * @param rules of a role, of any kind
 * @param permitted see `rulesOfPermissions`: rules that select by actions and records only
 */
export const bothAllow = (rules: readonly AccessRule[], permitted: readonly AccessRule[]): readonly AccessRule[] => {
  const whole: readonly AccessRule[] = [...rules, { ...any, effect: otherwiseOf(rules) }];
  const allowing = permitted.filter(({ effect }) => effect === 'ALLOW');
  const combined = allowing.flatMap(({ actions, drUuids }) =>
    whole.map((rule): AccessRule => ({
      ...rule,
      actions: inBoth(rule.actions, actions, sameAction),
      drUuids: inBoth(rule.drUuids, drUuids, (uuid) => uuid.toLowerCase()),
    })),
  );
  const selecting = combined.filter(({ actions, drUuids }) => actions?.length !== 0 && drUuids?.length !== 0);
  return [...selecting, { ...any, effect: 'DENY' }];
};
