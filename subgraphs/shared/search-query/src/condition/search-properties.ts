import type { SearchProperty } from './search-condition.js';

/** The part of a compiled model that a search needs. */
export interface SearchedModel {
  readonly drKeyProperties: readonly string[];
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
