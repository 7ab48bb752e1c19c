import type { JsonObject, JsonValue } from '@fds/json';
import { toStoredReference } from '@fds/model-schema';
import {
  fillPlace,
  linkPlaces,
  replacePlaces,
  type LinkedPlace,
  type ReferencedRecord,
  type ShowingContext,
} from './linked-places.js';
import { createPlaceReader, type PlaceOptions, type ReferencePlace, type ReferringRecord } from './reference-places.js';

/** A record that was put in the place of a reference. */
export interface NestedRecord {
  /** Place of the outermost record in the list that is expanded. */
  readonly root: number;
  /** JSON pointer from the top of the outermost record. */
  readonly pointer: string;
  /** 1: referred to by the outermost record. */
  readonly depth: number;
  readonly record: ReferencedRecord;
}

/** Limits of the expansion, and the form of references beyond them. */
export interface Expansion extends PlaceOptions {
  /** Levels of nested data at most. */
  readonly maxDepth: number;
  /** Records nested in one outermost record at most: records beyond it keep the form of a reference. Default: no bound. */
  readonly maxNested?: number;
  /** Stands in the place of a record whose data is not there; undefined: the form of a reference. */
  readonly showClosed?: (record: ReferencedRecord, property: string | undefined) => JsonValue;
  /** Called for each record that is nested. An error that it throws ends the expansion. */
  readonly onNested?: (nested: NestedRecord) => void;
}

/** The visible part of a record in the place of a reference. */
type Shown = { readonly node: TreeNode } | { readonly value: JsonValue };

/** A record at its place in the tree of an answer. */
interface TreeNode {
  readonly record: ReferringRecord;
  readonly places: readonly ReferencePlace[];
  /** Uuids from the top down to this one. */
  readonly line: readonly string[];
  readonly root: number;
  readonly pointer: string;
  /** The value in the place of a reference, by its pointer. */
  readonly slots: Map<string, Shown | readonly Shown[] | null>;
  /** How many records the tree may still take. */
  readonly allowance: { left: number };
}

/** The property that a reference yields, in the target's spelling. */
export const readYield = (data: JsonObject, property: string): JsonValue => {
  const folded = property.toLowerCase();
  const name = Object.keys(data).find((each) => each.toLowerCase() === folded);
  return name === undefined ? null : (data[name] ?? null);
};

/** Fills the trees of one answer. */
const createGrower = (context: ShowingContext, expansion: Expansion) => {
  const { showClosed = ({ uuid }) => toStoredReference(uuid), onNested = () => undefined } = expansion;
  const read = createPlaceReader(context.catalog, expansion);
  const known = new Map<ReferringRecord['json'], readonly ReferencePlace[]>();

  /** A record has the same places everywhere. */
  const placesOf = (record: ReferringRecord): readonly ReferencePlace[] => {
    const places = known.get(record.json) ?? read(record);
    known.set(record.json, places);
    return places;
  };

  const plant = (record: ReferringRecord, root: number): TreeNode => ({
    record,
    places: read(record),
    line: [record.uuid],
    root,
    pointer: '',
    slots: new Map(),
    allowance: { left: expansion.maxNested ?? Infinity },
  });

  const show = (node: TreeNode, place: ReferencePlace, record: ReferencedRecord, pointer: string): Shown => {
    const { uuid, json, drKey, visible } = record;
    const { property } = place.reference;
    // one property cannot close a circle
    const isCircle = property === undefined && node.line.includes(uuid);
    if (isCircle || node.allowance.left === 0) return { value: toStoredReference(uuid) };
    node.allowance.left -= 1;
    onNested({ root: node.root, pointer, depth: node.line.length, record });
    if (json === null || place.request === undefined) return { value: showClosed(record, property) };
    if (property !== undefined) return { value: readYield(json, property) };
    const { version } = place.request.links;
    const child: ReferringRecord = { uuid, version, json, drKey, ...(visible === undefined ? {} : { visible }) };
    const { root, line, allowance } = node;
    const places = placesOf(child);
    // most nested records refer to nothing
    if (places.length === 0) return { value: json };
    return { node: { record: child, places, line: [...line, uuid], root, pointer, slots: new Map(), allowance } };
  };

  /** Fills the places of a node's references; answers the nodes below it. */
  const grow = (node: TreeNode, linked: readonly LinkedPlace[]): TreeNode[] => {
    const grown: TreeNode[] = [];
    for (const { place, records } of linked) {
      const at = node.pointer + place.pointer;
      const shown = records.map((record, index) =>
        show(node, place, record, place.kind === 'MANY' ? `${at}/${index}` : at),
      );
      const slot = fillPlace(place, shown);
      if (slot === undefined) continue;
      node.slots.set(place.pointer, slot);
      for (const each of shown) if ('node' in each) grown.push(each.node);
    }
    return grown;
  };

  return { plant, grow };
};

const harvestShown = (shown: Shown, lists: Expansion['lists']): JsonValue =>
  'node' in shown ? harvest(shown.node, lists) : shown.value;

const harvest = ({ record, slots }: TreeNode, lists: Expansion['lists']): JsonObject => {
  if (slots.size === 0) return record.json;
  return replacePlaces(record, lists, (pointer) => {
    const slot = slots.get(pointer);
    if (slot === undefined || slot === null) return slot;
    return Array.isArray(slot) ? slot.map((shown) => harvestShown(shown, lists)) : harvestShown(slot as Shown, lists);
  });
};

/**
 * Nests referenced data in records, level by level, each level of all records looked up at once. A reference back to a
 * record that it stands in and one below the last level keep the form of a reference; a reference to one property is its
 * value. The result of a model's query takes the place of the property: null or an empty list when it finds nothing.
 */
export const expandRecords = async (
  context: ShowingContext,
  records: readonly ReferringRecord[],
  expansion: Expansion,
): Promise<readonly JsonObject[]> => {
  const { plant, grow } = createGrower(context, expansion);
  const roots = records.map(plant);
  let level = roots;
  for (let depth = 0; depth < expansion.maxDepth && level.length > 0; depth += 1) {
    const linked = await linkPlaces(
      level.map(({ places }) => places),
      context.load,
    );
    if (linked === undefined) break;
    level = level.flatMap((node, index) => grow(node, linked[index] ?? []));
  }
  return roots.map((root) => harvest(root, expansion.lists));
};
