import { isJsonObject, type JsonObject, type JsonValue, pointerTo } from '@fds/json';
import type { CompiledModel } from '../compiled-model.js';
import type { Reference } from '../model-property.js';
import { referenceTreeOf, type ReferenceBranches, type ReferenceNode } from './reference-tree.js';

/** A reference value in a record. */
export interface PresentReference {
  readonly reference: Reference;
  /** Dotted path of the property. */
  readonly path: string;
  /** JSON pointer from the top of the record. */
  readonly pointer: string;
  /** Does the reference take a list? */
  readonly list: boolean;
  /** Not null, and no list unless lists are mapped whole. */
  readonly value: JsonValue;
}

/** A reference of the model that a record, or an object in it, has no value of. */
export interface OpenReference {
  readonly reference: Reference;
  /** Dotted path of the property. */
  readonly path: string;
  /** JSON pointer from the top of the record. */
  readonly pointer: string;
  /** Does it take a list? */
  readonly list: boolean;
}

/** The replacements for references. */
export interface ReferenceMapping {
  /** The same value keeps it. */
  readonly present: (present: PresentReference) => JsonValue;
  /** Undefined keeps it open. Default: all stay open. */
  readonly open?: (open: OpenReference) => JsonValue | undefined;
  /** Is a list of references mapped value by value, or as one value? Default: EACH. */
  readonly lists?: 'EACH' | 'WHOLE';
}

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

const mapNode = (node: ReferenceNode, value: JsonValue, pointer: string, mapping: ReferenceMapping): JsonValue => {
  if (value === null) return value;
  switch (node.kind) {
    case 'REFERENCE': {
      const { reference, path, list } = node;
      const isEach = mapping.lists !== 'WHOLE';
      const one = (item: JsonValue, at: string): JsonValue =>
        item === null || (isEach && Array.isArray(item))
          ? item
          : mapping.present({ reference, path, pointer: at, list, value: item });
      return isEach && Array.isArray(value) ? mapList(value, pointer, one) : one(value, pointer);
    }
    case 'OBJECT':
      return mapMembers(node.branches, value, pointer, mapping);
    case 'LIST':
      return mapList(value, pointer, (item, at) => mapMembers(node.branches, item, at, mapping));
  }
};

const mapMembers = (
  branches: ReferenceBranches,
  value: JsonValue,
  pointer: string,
  mapping: ReferenceMapping,
): JsonValue => {
  if (!isJsonObject(value)) return value;
  let changed: Record<string, JsonValue> | undefined;
  for (const [name, member] of Object.entries(value)) {
    const node = branches.get(name.toLowerCase());
    if (node === undefined || member === undefined) continue;
    const mapped = mapNode(node, member, pointerTo(pointer, name), mapping);
    if (mapped === member) continue;
    changed ??= { ...(value as Record<string, JsonValue>) };
    changed[name] = mapped;
  }
  if (mapping.open === undefined) return changed ?? value;
  for (const node of branches.values()) {
    if (node.kind !== 'REFERENCE' || (Object.hasOwn(value, node.name) && value[node.name] !== null)) continue;
    const { name, reference, path, list } = node;
    const mapped = mapping.open({ reference, path, list, pointer: pointerTo(pointer, name) });
    if (mapped === undefined) continue;
    changed ??= { ...(value as Record<string, JsonValue>) };
    // an assignment to the name __proto__ would be lost
    Object.defineProperty(changed, name, { value: mapped, writable: true, enumerable: true, configurable: true });
  }
  return changed ?? value;
};

/**
 * Replaces the references of a record; the record itself where nothing changes. Names match ignoring case, and parts
 * that do not fit the model are left alone: a record may be mapped before it is validated. Open references are found in
 * valid records only.
 */
export const mapReferences = (
  model: CompiledModel,
  record: JsonObject,
  mapping: ReferenceMapping | ReferenceMapping['present'],
): JsonObject => {
  const branches = referenceTreeOf(model);
  if (branches.size === 0) return record;
  const mapped = mapMembers(branches, record, '', typeof mapping === 'function' ? { present: mapping } : mapping);
  return mapped as JsonObject;
};

/** The reference values of a record, in its own order. */
export const referencesIn = (model: CompiledModel, record: JsonObject): readonly PresentReference[] => {
  const found: PresentReference[] = [];
  mapReferences(model, record, (present) => {
    found.push(present);
    return present.value;
  });
  return found;
};
