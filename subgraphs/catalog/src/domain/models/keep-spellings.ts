import { isJsonObject, type JsonObject, type JsonValue } from '@fds/json';
import { nestedProperties, type ModelProperty } from '@fds/model-schema';

type Names = ReadonlyMap<string, ModelProperty>;

const namesOf = (properties: readonly ModelProperty[]): Names =>
  new Map(properties.map((property) => [property.name.toLowerCase(), property]));

const respellNode = (node: JsonValue, property: ModelProperty): JsonValue => {
  if (!isJsonObject(node)) return node;
  const nested = namesOf(nestedProperties(property));
  const items = Object.hasOwn(node, 'items') ? node['items'] : undefined;
  return items === undefined || !isJsonObject(items)
    ? respell(node, nested)
    : { ...node, items: respell(items, nested) };
};

const respell = (schema: JsonObject, names: Names): JsonObject => {
  const properties = Object.hasOwn(schema, 'properties') ? schema['properties'] : undefined;
  if (!isJsonObject(properties)) return schema;
  const taken = new Set<string>();
  const entries = Object.entries(properties).map(([name, node]): [string, JsonValue] => {
    const property = names.get(name.toLowerCase());
    const value = node ?? null;
    // the compiler merges a second spelling of the same property
    if (property === undefined || taken.has(property.name)) return [name, value];
    taken.add(property.name);
    return [property.name, respellNode(value, property)];
  });
  return { ...schema, properties: Object.fromEntries(entries) };
};

/**
 * Gives the properties of a posted schema the spelling of the stored model. Names match ignoring case, and records
 * store their data under the stored spelling.
 */
export const keepSpellings = (
  modelSchema: JsonValue,
  stored: { readonly properties: readonly ModelProperty[] },
): JsonValue => (isJsonObject(modelSchema) ? respell(modelSchema, namesOf(stored.properties)) : modelSchema);
