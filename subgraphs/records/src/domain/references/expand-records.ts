import type { JsonObject, JsonValue } from '@fds/json';
import {
  mapReferences,
  readReference,
  referencesIn,
  toStoredReference,
  type HeldReference,
  type ReferenceTarget,
} from '@fds/model-schema';
import type { Catalog, DomainVersionView } from '../catalog.js';
import { toKeyValue } from './resolve-references.js';

/** A record whose references are shown. */
export interface ReferringRecord {
  readonly uuid: string;
  readonly version: DomainVersionView;
  readonly json: JsonObject;
}

/** A record that a reference points at, with its data. */
export interface ReferencedRecord {
  readonly uuid: string;
  readonly domainVersionUuid: string;
  readonly drKey: JsonObject;
  /** Null: federated, only the DR Key is known. */
  readonly json: JsonObject | null;
}

/** What references point at, by the version that they name. */
export interface VersionTarget {
  readonly domainVersionUuid: string;
  readonly target: ReferenceTarget;
}

/** Finds what has been loaded. */
export type FindReferenced = (wanted: VersionTarget) => ReferencedRecord | undefined;

/** Loads everything that is wanted at once. */
type LoadReferenced = (wanted: readonly VersionTarget[]) => Promise<FindReferenced>;

export interface ExpansionContext {
  readonly catalog: Pick<Catalog, 'version'>;
  readonly load: LoadReferenced;
}

/** Levels of nested data at most (decisions, section 7). */
const maxExpansionDepth = 10;
/** Records nested in one record at most: what lies beyond keeps the form of a reference. */
const maxNested = 1000;

const targetOf = (catalog: Pick<Catalog, 'version'>, { reference, value }: HeldReference) => {
  const version = catalog.version(reference.domain, reference.version);
  const target = version === undefined ? undefined : readReference(version.model, value);
  return version === undefined || target === undefined
    ? undefined
    : { version, wanted: { domainVersionUuid: version.uuid, target } };
};

const wantedOf = (catalog: Pick<Catalog, 'version'>, records: readonly ReferringRecord[]): VersionTarget[] =>
  records.flatMap(({ version, json }) =>
    referencesIn(version.model, json).flatMap((held) => targetOf(catalog, held)?.wanted ?? []),
  );

/** A reference and where it points. */
interface Branch {
  readonly held: HeldReference;
  readonly version: DomainVersionView;
  readonly wanted: VersionTarget;
}

/** A record at its place in the tree of an answer. */
interface TreeNode extends ReferringRecord {
  readonly branches: readonly Branch[];
  /** Uuids from the top down to this one. */
  readonly line: readonly string[];
  /** What stands in the place of a reference, by its pointer. */
  readonly slots: Map<string, TreeNode | { readonly value: JsonValue }>;
  /** How many records the tree may still take. */
  readonly allowance: { left: number };
}

const plant = (
  catalog: ExpansionContext['catalog'],
  record: ReferringRecord,
  { line, allowance }: Pick<TreeNode, 'line' | 'allowance'>,
): TreeNode => ({
  ...record,
  branches: referencesIn(record.version.model, record.json).flatMap((held) => {
    const target = targetOf(catalog, held);
    return target === undefined ? [] : [{ held, ...target }];
  }),
  line: [...line, record.uuid],
  slots: new Map(),
  allowance,
});

/** Fills the places of a node's references; answers the nodes below it. */
const grow = (node: TreeNode, catalog: ExpansionContext['catalog'], find: FindReferenced): TreeNode[] => {
  const grown: TreeNode[] = [];
  for (const { held, version, wanted } of node.branches) {
    const found = find(wanted);
    if (found === undefined) continue;
    const { uuid, json, drKey } = found;
    const { property } = held.reference;
    if (node.line.includes(uuid) || node.allowance.left === 0) {
      node.slots.set(held.pointer, { value: toStoredReference(uuid) });
      continue;
    }
    node.allowance.left -= 1;
    const data = json ?? drKey;
    if (property !== undefined || json === null) {
      const value = property === undefined ? data : Object.hasOwn(data, property) ? data[property] : null;
      node.slots.set(held.pointer, { value: value ?? null });
    } else {
      const child = plant(catalog, { uuid, version, json }, node);
      node.slots.set(held.pointer, child);
      grown.push(child);
    }
  }
  return grown;
};

const harvest = ({ version, json, slots }: TreeNode): JsonObject =>
  slots.size === 0
    ? json
    : mapReferences(version.model, json, ({ pointer, value }) => {
        const slot = slots.get(pointer);
        if (slot === undefined) return value;
        return 'value' in slot ? slot.value : harvest(slot);
      });

/**
 * Nests referenced data in records, level by level, each level of all records loaded at once. A reference back to a record
 * that it stands in, one below the tenth level and one to nothing keep the form of a reference; a reference to one property
 * is its value; of a federated record there is only the DR Key.
 */
export const expandRecords = async (
  { catalog, load }: ExpansionContext,
  records: readonly ReferringRecord[],
): Promise<readonly JsonObject[]> => {
  const roots = records.map((record) => plant(catalog, record, { line: [], allowance: { left: maxNested } }));
  let level = roots;
  for (let depth = 0; depth < maxExpansionDepth && level.length > 0; depth += 1) {
    const wanted = level.flatMap(({ branches }) => branches.map((branch) => branch.wanted));
    if (wanted.length === 0) break;
    const find = await load(wanted);
    level = level.flatMap((node) => grow(node, catalog, find));
  }
  return roots.map(harvest);
};

/** Shows the DR Key that is used in the place of each reference; one to nothing stays as it is. */
export const showKeys = async (
  { catalog, load }: ExpansionContext,
  records: readonly ReferringRecord[],
): Promise<readonly JsonObject[]> => {
  const find = await load(wantedOf(catalog, records));
  return records.map(({ version, json }) =>
    mapReferences(version.model, json, (held) => {
      const target = targetOf(catalog, held);
      const found = target === undefined ? undefined : find(target.wanted);
      return found === undefined ? held.value : toKeyValue(found.drKey);
    }),
  );
};

/** A reference of a record by the property that holds it. */
export interface ShownReference {
  /** Dotted path. */
  readonly property: string;
  readonly uuid: string;
}

/** What records refer to, in the order of their data. */
export const showReferences = async (
  { catalog, load }: ExpansionContext,
  records: readonly ReferringRecord[],
): Promise<readonly (readonly ShownReference[])[]> => {
  const find = await load(wantedOf(catalog, records));
  return records.map(({ version, json }) =>
    referencesIn(version.model, json).flatMap((held) => {
      const target = targetOf(catalog, held);
      const found = target === undefined ? undefined : find(target.wanted);
      return found === undefined ? [] : [{ property: held.path, uuid: found.uuid }];
    }),
  );
};
