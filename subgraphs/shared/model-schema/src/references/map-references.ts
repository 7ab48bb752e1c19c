import { isJsonObject, type JsonObject, type JsonValue } from '@fds/json';
import type { CompiledModel } from '../compiled-model.js';
import type { Reference } from '../model-property.js';
import { referenceTreeOf, type ReferenceBranches, type ReferenceNode } from './reference-tree.js';

/** A reference value in a record. */
export interface HeldReference {
  readonly reference: Reference;
  /** Dotted path of the property. */
  readonly path: string;
  /** JSON pointer from the top of the record. */
  readonly pointer: string;
  /** Neither null nor a list. */
  readonly value: JsonValue;
}

/** Gives the value that stands in the place of a reference; the same value keeps it. */
export type ReplaceReference = (held: HeldReference) => JsonValue;

const escape = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const mapList = (
  value: JsonValue,
  pointer: string,
  map: (item: JsonValue, pointer: string) => JsonValue,
): JsonValue => {
  if (!Array.isArray(value)) return value;
  const items = value as readonly JsonValue[];
  const mapped = items.map((item, index) => map(item, `${pointer}/${index}`));
  return mapped.every((item, index) => item === items[index]) ? value : mapped;
};

const mapNode = (node: ReferenceNode, value: JsonValue, pointer: string, replace: ReplaceReference): JsonValue => {
  if (value === null) return value;
  switch (node.kind) {
    case 'REFERENCE': {
      const { reference, path } = node;
      const one = (item: JsonValue, at: string): JsonValue =>
        item === null || Array.isArray(item) ? item : replace({ reference, path, pointer: at, value: item });
      return Array.isArray(value) ? mapList(value, pointer, one) : one(value, pointer);
    }
    case 'OBJECT':
      return mapMembers(node.branches, value, pointer, replace);
    case 'LIST':
      return mapList(value, pointer, (item, at) => mapMembers(node.branches, item, at, replace));
  }
};

const mapMembers = (
  branches: ReferenceBranches,
  value: JsonValue,
  pointer: string,
  replace: ReplaceReference,
): JsonValue => {
  if (!isJsonObject(value)) return value;
  let changed: Record<string, JsonValue> | undefined;
  for (const [name, member] of Object.entries(value)) {
    const node = branches.get(name.toLowerCase());
    if (node === undefined || member === undefined) continue;
    const mapped = mapNode(node, member, `${pointer}/${escape(name)}`, replace);
    if (mapped === member) continue;
    changed ??= { ...(value as Record<string, JsonValue>) };
    changed[name] = mapped;
  }
  return changed ?? value;
};

/**
 * Replaces the references of a record; the record itself where nothing changes. Names match ignoring case, and what does
 * not fit the model is left alone: a record may be mapped before it is validated.
 */
export const mapReferences = (model: CompiledModel, record: JsonObject, replace: ReplaceReference): JsonObject => {
  const branches = referenceTreeOf(model);
  return branches.size === 0 ? record : (mapMembers(branches, record, '', replace) as JsonObject);
};

/** The reference values of a record, in its own order. */
export const referencesIn = (model: CompiledModel, record: JsonObject): readonly HeldReference[] => {
  const found: HeldReference[] = [];
  mapReferences(model, record, (held) => {
    found.push(held);
    return held.value;
  });
  return found;
};
