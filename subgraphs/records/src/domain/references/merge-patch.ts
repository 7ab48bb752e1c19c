import { isJsonObject, type JsonObject, type JsonValue } from '@fds/json';
import { referenceTreeOf, type CompiledModel, type ReferenceBranches } from '@fds/model-schema';

const noBranches: ReferenceBranches = new Map();

const mergeMembers = (stored: JsonObject, patch: JsonObject, branches: ReferenceBranches): JsonObject => {
  const merged = new Map(Object.entries(stored) as [string, JsonValue][]);
  const names = new Map([...merged.keys()].map((name) => [name.toLowerCase(), name]));
  for (const [given, value] of Object.entries(patch) as [string, JsonValue][]) {
    const folded = given.toLowerCase();
    const name = names.get(folded) ?? given;
    names.set(folded, name);
    if (value === null) merged.delete(name);
    else merged.set(name, mergeValue(merged.get(name), value, branches, folded));
  }
  return Object.fromEntries(merged);
};

const mergeValue = (
  stored: JsonValue | undefined,
  patch: JsonValue,
  branches: ReferenceBranches,
  folded: string,
): JsonValue => {
  if (!isJsonObject(patch)) return patch;
  const node = branches.get(folded);
  // a reference is one value: its forms do not mix
  if (node?.kind === 'REFERENCE') return patch;
  const base = isJsonObject(stored) ? stored : {};
  return mergeMembers(base, patch, node?.kind === 'OBJECT' ? node.branches : noBranches);
};

/**
 * Applies a JSON merge patch (RFC 7396) to a record. Names match ignoring case; a reference is replaced as a whole. Changes
 * neither of its arguments; the result has yet to be validated.
 */
export const mergePatch = (model: CompiledModel, stored: JsonObject, patch: JsonObject): JsonObject =>
  mergeMembers(stored, patch, referenceTreeOf(model));
