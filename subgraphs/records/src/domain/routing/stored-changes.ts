import { canonicalJson, type JsonObject } from '@fds/json';

/**
 * The properties of a data-store record that a change gives another value. Undefined: the record is new, all of them are.
 *
 * @param reported counted too
 */
export const changedProperties = (
  before: JsonObject | null,
  after: JsonObject,
  reported: readonly string[] = [],
): ReadonlySet<string> | undefined => {
  if (before === null) return undefined;
  const changed = new Set(reported);
  for (const [name, value] of Object.entries(after)) {
    const old = before[name];
    if (value !== undefined && value !== old && (old === undefined || canonicalJson(value) !== canonicalJson(old))) {
      changed.add(name);
    }
  }
  return changed;
};
