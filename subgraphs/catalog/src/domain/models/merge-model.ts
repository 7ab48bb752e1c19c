import { isJsonObject, type JsonObject, type JsonValue } from '@fds/json';
import { decodeJson } from '../decode-json.js';

/** Members of an object in a schema; empty when the value is not an object. */
const membersOf = (value: JsonValue | undefined): [string, JsonValue][] =>
  isJsonObject(value) ? (Object.entries(value) as [string, JsonValue][]) : [];

const own = (object: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value.toLowerCase() : '');

/**
 * Required members stay required. Names match ignoring case. A value that is not a list is kept, so that the compiler
 * refuses it.
 */
const mergeRequired = (current: JsonValue | undefined, added: JsonValue | undefined): JsonValue | undefined => {
  if (!Array.isArray(current) || !Array.isArray(added)) return added === undefined ? current : added;
  const [before, more] = [current as readonly JsonValue[], added as readonly JsonValue[]];
  const known = new Set(before.map(textOf));
  return [...before, ...more.filter((name) => !known.has(textOf(name)))];
};

const withoutFlag = (node: JsonObject): JsonObject => {
  if (typeof own(node, 'required') !== 'boolean') return node;
  const { required: _flag, ...rest } = node;
  return rest;
};

const mergeProperties = (current: JsonValue | undefined, added: JsonValue): JsonValue => {
  if (!isJsonObject(current) || !isJsonObject(added)) return added;
  const merged = new Map(membersOf(current));
  const spellings = new Map([...merged.keys()].map((name) => [name.toLowerCase(), name]));
  for (const [name, addition] of membersOf(added)) {
    const known = spellings.get(name.toLowerCase()) ?? name;
    spellings.set(known.toLowerCase(), known);
    merged.set(known, mergeNode(merged.get(known), addition));
  }
  // creates own members even for names like __proto__
  return Object.fromEntries(merged);
};

/** Two objects, or two arrays of objects, are merged. Any other property is replaced. */
const mergeNode = (current: JsonValue | undefined, added: JsonValue): JsonValue => {
  if (!isJsonObject(current) || !isJsonObject(added)) return added;
  const [properties, items] = [own(added, 'properties'), own(added, 'items')];
  if (properties !== undefined && own(current, 'properties') !== undefined)
    return mergeObject(current, withoutFlag(added));
  if (items !== undefined && own(current, 'items') !== undefined) {
    return { ...current, ...added, items: mergeNode(own(current, 'items'), items) };
  }
  return added;
};

/**
 * Objects that are required by a flag. The flag cannot be used together with a list of required members inside the
 * object.
 */
const flaggedObjects = (properties: JsonValue | undefined): readonly string[] | undefined => {
  const names = membersOf(properties)
    .filter(([, node]) => isJsonObject(node) && own(node, 'required') === true && own(node, 'properties') !== undefined)
    .map(([name]) => name);
  return names.length === 0 ? undefined : names;
};

/** Names that stay required. A property that becomes a reference does not. */
const stillRequired = (before: JsonValue | undefined, properties: JsonValue | undefined): JsonValue | undefined => {
  if (!Array.isArray(before)) return before;
  const references = new Set(
    membersOf(properties).flatMap(([name, node]) =>
      isJsonObject(node) && own(node, '$ref') !== undefined ? name.toLowerCase() : [],
    ),
  );
  return references.size === 0
    ? before
    : (before as readonly JsonValue[]).filter((name) => !references.has(textOf(name)));
};

const mergeObject = (current: JsonObject, added: JsonObject): JsonObject => {
  const properties = own(added, 'properties');
  const required = own(added, 'required');
  const before = stillRequired(own(current, 'required'), properties);
  const united = typeof required === 'boolean' ? before : mergeRequired(before, required);
  const flagged = flaggedObjects(properties);
  const list = flagged === undefined ? united : mergeRequired(united ?? [], flagged);
  return {
    ...current,
    ...added,
    ...(properties === undefined ? {} : { properties: mergeProperties(own(current, 'properties'), properties) }),
    ...(list === undefined ? {} : { required: list }),
  };
};

/**
 * Merges a patch's model into the stored one: new properties are added at every level, `required` lists are united, and
 * other keywords and existing properties are replaced. The spelling of the stored model is kept.
 *
 * @param patch native or JSON-encoded. The result must still be compiled
 */
export const mergeModel = (current: JsonObject, patch: JsonValue | undefined): JsonValue => {
  const given = decodeJson(patch ?? null);
  if (given === null) return current;
  return isJsonObject(given) ? mergeObject(current, given) : given;
};
