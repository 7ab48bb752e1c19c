import type { CompiledModel } from '../compiled-model.js';
import type { ModelProperty, Reference } from '../model-property.js';

/** The branches of a model that lead to references. */
export type ReferenceNode =
  | {
      readonly kind: 'REFERENCE';
      readonly name: string;
      readonly path: string;
      readonly reference: Reference;
      /** Multivalued, or an array of references. */
      readonly list: boolean;
    }
  | { readonly kind: 'OBJECT' | 'LIST'; readonly name: string; readonly branches: ReferenceBranches };

/** By the property's name in lower case. */
export type ReferenceBranches = ReadonlyMap<string, ReferenceNode>;

const nodeOf = (property: ModelProperty): ReferenceNode | undefined => {
  const { name, path, type } = property;
  if (type === 'reference') {
    const { reference } = property;
    return { kind: 'REFERENCE', name, path, reference, list: reference.multivalued };
  }
  if (type === 'array' && 'reference' in property.items) {
    return { kind: 'REFERENCE', name, path, reference: property.items.reference, list: true };
  }
  if (type !== 'object' && type !== 'array') return undefined;
  const nested =
    type === 'object' ? property.properties : 'properties' in property.items ? property.items.properties : [];
  const branches = branchesOf(nested);
  if (branches.size === 0) return undefined;
  return { kind: type === 'object' ? 'OBJECT' : 'LIST', name, branches };
};

const branchesOf = (properties: readonly ModelProperty[]): ReferenceBranches =>
  new Map(
    properties.flatMap((property) => {
      const node = nodeOf(property);
      return node === undefined ? [] : [[property.name.toLowerCase(), node] as const];
    }),
  );

const known = new WeakMap<CompiledModel, ReferenceBranches>();

/** Where a model has references, worked out once per model; empty where it has none. */
export const referenceTreeOf = (model: CompiledModel): ReferenceBranches => {
  const before = known.get(model);
  if (before !== undefined) return before;
  const branches = branchesOf(model.properties);
  known.set(model, branches);
  return branches;
};
