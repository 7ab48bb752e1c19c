import type { AccessRule } from '@fds/access-rules';
import type { FaultList } from '@fds/errors';
import { maxListed, type DataAccessRuleInput } from './rule.js';

/**
 * The names follow the rule for properties of a model (docs/reference/model-schema.md#model-schema). Rules cover
 * properties at the top level.
 */
const propertyName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

const readList = <Value>(
  values: readonly Value[] | null | undefined,
  pointer: string,
  faults: FaultList,
): readonly Value[] | null => {
  if (values === null || values === undefined) return null;
  if (values.length === 0) faults.add(pointer, 'OUT_OF_RANGE', 'an empty list selects nothing; null means any');
  if (values.length > maxListed) faults.add(pointer, 'OUT_OF_RANGE', `at most ${maxListed} entries`);
  return [...new Set(values)];
};

/**
 * Reads the content of a rule.
 *
 * @param at pointer of the rule in the input
 */
export const readRule = (input: DataAccessRuleInput, at: string, faults: FaultList): AccessRule => {
  if (input.effect === null || input.effect === undefined) {
    faults.add(`${at}/effect`, 'REQUIRED', 'effect is ALLOW or DENY');
  }
  for (const [index, name] of (input.properties ?? []).entries()) {
    if (!propertyName.test(name)) {
      faults.add(`${at}/properties/${index}`, 'INVALID_VALUE', 'must be the name of a property at the top of a model');
    }
  }
  return {
    effect: input.effect ?? 'DENY',
    actions: readList(input.actions, `${at}/actions`, faults),
    zoneUuid: input.zoneUuid ?? null,
    adaptorUuid: input.adaptorUuid ?? null,
    domainUuid: input.domainUuid ?? null,
    domainVersionUuid: input.domainVersionUuid ?? null,
    properties: readList(input.properties, `${at}/properties`, faults),
    drUuids: readList(input.drUuids, `${at}/drUuids`, faults),
  };
};

/** The rule after a patch: the members of the patch, including null, replace the existing ones. */
export const patchRule = (rule: AccessRule, patch: DataAccessRuleInput): DataAccessRuleInput => ({
  ...rule,
  ...Object.fromEntries(Object.entries(patch).filter(([name, value]) => name !== 'effect' || value !== null)),
});
