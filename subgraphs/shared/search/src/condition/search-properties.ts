import type { SearchProperty } from './search-condition.js';

/** The part of a compiled model that a search needs. */
export interface SearchedModel {
  readonly drKeyProperties: readonly string[];
  readonly searchProperties?: readonly SearchProperty[];
  readonly properties: readonly { readonly name: string; readonly type: string; readonly format?: string }[];
}

const known = new WeakMap<SearchedModel, readonly SearchProperty[]>();

const isKeyType = (type: string | undefined): type is SearchProperty['type'] =>
  type === 'string' || type === 'integer' || type === 'number' || type === 'boolean';

/** The DR Key properties of a model, worked out once for each. */
export const searchPropertiesOf = (model: SearchedModel): readonly SearchProperty[] => {
  const before = known.get(model);
  if (before !== undefined) return before;
  const properties = model.drKeyProperties.map((name): SearchProperty => {
    const property = model.properties.find((candidate) => candidate.name === name);
    const type = property?.type;
    if (!isKeyType(type)) throw new TypeError(`the DR Key property ${name} is of no type that a key can have`);
    return { name, type, ...(property?.format === undefined ? {} : { format: property.format }) };
  });
  known.set(model, properties);
  return properties;
};

const knownOfListings = new WeakMap<SearchedModel, readonly SearchProperty[]>();

/** The properties by which listings of a version are searched and sorted: those of the DR Key, then its search properties. */
export const listingPropertiesOf = (model: SearchedModel): readonly SearchProperty[] => {
  const before = knownOfListings.get(model);
  if (before !== undefined) return before;
  const keys = searchPropertiesOf(model);
  const isKey = (property: SearchProperty): boolean => keys.some(({ name }) => name === property.name);
  const properties = [...keys, ...(model.searchProperties ?? []).filter((property) => !isKey(property))];
  knownOfListings.set(model, properties);
  return properties;
};
