import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '@fds/json';
import { canonicalDecimal, type CompiledModel, type ModelProperty } from '@fds/model-schema';
import { readInstant } from '@fds/search';
import { contentOf, type ContentHashes } from '../../domain/routing/content-hashes.js';

const decimal = /^-?\d+(?:\.\d+)?$/;

const normalText = (text: string, format: string | undefined): string => {
  if (format === 'decimal' && decimal.test(text)) return canonicalDecimal(text);
  if (format === 'date-time') return readInstant(text) ?? text;
  return format === 'uuid' ? text.toLowerCase() : text;
};

/** A DR Key of one property is the value itself, or an object with that property. */
const normalReference = (value: JsonValue): JsonValue => {
  if (!isJsonObject(value)) return value;
  const [only, ...others] = Object.entries(value);
  return only === undefined || others.length > 0 || only[0] === '$ref' ? value : (only[1] ?? null);
};

const normalMembers = (properties: readonly ModelProperty[], value: JsonValue): JsonValue => {
  if (!isJsonObject(value)) return value;
  const members: [string, JsonValue][] = [];
  for (const property of properties) {
    const member = value[property.name];
    if (member !== undefined) members.push([property.name, normalValue(property, member)]);
  }
  return Object.fromEntries(members);
};

const normalItems = (property: Extract<ModelProperty, { readonly type: 'array' }>, items: JsonArray): JsonValue =>
  items.map((item: JsonValue) =>
    'reference' in property.items ? normalReference(item) : normalMembers(property.items.properties, item),
  );

const normalValue = (property: ModelProperty, value: JsonValue): JsonValue => {
  if (value === null) return null;
  switch (property.type) {
    case 'string':
      return typeof value === 'string' ? normalText(value, property.format) : value;
    case 'number':
      return typeof value === 'bigint' ? Number(value) : value;
    case 'integer':
    case 'boolean':
      return value;
    case 'object':
      return normalMembers(property.properties, value);
    case 'array':
      return Array.isArray(value) ? normalItems(property, value) : value;
    case 'reference':
      return Array.isArray(value) ? value.map(normalReference) : normalReference(value);
  }
};

/**
 * The hashes of a record in the normal form of its model: decimals by value, times by instant. Two values of a property are
 * equal where their hashes are. The hashes themselves are those by which an echo is recognised.
 *
 * @param record with the names and types of the model
 */
export const normalContent = ({ properties }: Pick<CompiledModel, 'properties'>, record: JsonObject): ContentHashes =>
  contentOf(normalMembers(properties, record) as JsonObject);
