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
import { createPlaceReader, type ReferencePlace, type ReferringRecord } from './reference-places.js';

/** Levels of nested data at most (decisions, section 7). */
const maxExpansionDepth = 10;
/** Records nested in one record at most: what lies beyond keeps the form of a reference. */
const maxNested = 1000;

/** What is shown of a record in the place of a reference. */
type Shown = { readonly node: TreeNode } | { readonly value: JsonValue };

/** A record at its place in the tree of an answer. */
interface TreeNode extends ReferringRecord {
  readonly places: readonly ReferencePlace[];
  /** Uuids from the top down to this one. */
  readonly line: readonly string[];
  /** What stands in the place of a reference, by its pointer. */
  readonly slots: Map<string, Shown | readonly Shown[] | null>;
  /** How many records the tree may still take. */
  readonly allowance: { left: number };
}

type ReadPlaces = ReturnType<typeof createPlaceReader>;

const plant = (
  read: ReadPlaces,
  record: ReferringRecord,
  { line, allowance }: Pick<TreeNode, 'line' | 'allowance'>,
): TreeNode => ({ ...record, places: read(record), line: [...line, record.uuid], slots: new Map(), allowance });

/** The property that a reference yields, in the target's spelling. */
const readYield = (data: JsonObject, property: string): JsonValue => {
  const folded = property.toLowerCase();
  const name = Object.keys(data).find((each) => each.toLowerCase() === folded);
  return name === undefined ? null : (data[name] ?? null);
};

const show = (
  node: TreeNode,
  { reference, request }: ReferencePlace,
  { uuid, json, drKey, visible }: ReferencedRecord,
  read: ReadPlaces,
): Shown => {
  if (node.line.includes(uuid) || node.allowance.left === 0) return { value: toStoredReference(uuid) };
  node.allowance.left -= 1;
  if (reference.property !== undefined) return { value: readYield(json ?? drKey, reference.property) };
  if (json === null || request === undefined) return { value: drKey };
  const { version } = request.links;
  return { node: plant(read, { uuid, version, json, ...(visible === undefined ? {} : { visible }) }, node) };
};

/** Fills the places of a node's references; answers the nodes below it. */
const grow = (node: TreeNode, linked: readonly LinkedPlace[], read: ReadPlaces): TreeNode[] => {
  const grown: TreeNode[] = [];
  for (const { place, records } of linked) {
    const shown = records.map((record) => show(node, place, record, read));
    const slot = fillPlace(place, shown);
    if (slot === undefined) continue;
    node.slots.set(place.pointer, slot);
    for (const each of shown) if ('node' in each) grown.push(each.node);
  }
  return grown;
};

const harvestShown = (shown: Shown): JsonValue => ('node' in shown ? harvest(shown.node) : shown.value);

const harvest = (node: TreeNode): JsonObject => {
  if (node.slots.size === 0) return node.json;
  return replacePlaces(node, (pointer) => {
    const slot = node.slots.get(pointer);
    if (slot === undefined || slot === null) return slot;
    return Array.isArray(slot) ? slot.map(harvestShown) : harvestShown(slot as Shown);
  });
};

/**
 * Nests referenced data in records, level by level, each level of all records looked up at once. A reference back to a
 * record that it stands in, one below the tenth level and one to nothing keep the form of a reference; a reference to one
 * property is its value; of a federated record there is only the DR Key. What the query of a model finds stands in the
 * place of the property: null or an empty list where it finds nothing.
 */
export const expandRecords = async (
  { catalog, load }: ShowingContext,
  records: readonly ReferringRecord[],
): Promise<readonly JsonObject[]> => {
  const read = createPlaceReader(catalog);
  const roots = records.map((record) => plant(read, record, { line: [], allowance: { left: maxNested } }));
  let level = roots;
  for (let depth = 0; depth < maxExpansionDepth && level.length > 0; depth += 1) {
    const linked = await linkPlaces(
      level.map(({ places }) => places),
      load,
    );
    if (linked === undefined) break;
    level = level.flatMap((node, index) => grow(node, linked[index] ?? [], read));
  }
  return roots.map(harvest);
};
