import { shownValue } from '../shown-value.js';
import { isJsonObject, type JsonObject, type JsonValue, pointerTo } from '@fds/json';
import { acceptArray } from '../record/accept-array.js';
import { acceptMembers, type Member } from '../record/accept-members.js';
import { acceptReference } from '../record/accept-reference.js';
import type { FaultList } from '@fds/errors';
import { graphqlPropertyName, nestedTypePath } from '../names/graphql-names.js';
import type { ModelProperty } from '../model-property.js';
import { propertyType } from '../property-type.js';
import { parseReference, type LinkingContext } from './parse-reference.js';
import { findNameFault, foldName } from '../names/property-name.js';
import { readScalar } from './read-scalar.js';
import { openSchemaNode, type SchemaNode } from './schema-node.js';

const maxDepth = 32;
const maxProperties = 1000;

/** State shared while one model schema is read. */
export interface Reading extends LinkingContext {
  readonly faults: FaultList;
  /** So far, at all levels. */
  readonly met: { properties: number; queryLength: number };
  /** Names of nested GraphQL types met so far. */
  readonly nestedTypes: Set<string>;
}

/** Where an object's properties stand in the schema. */
export interface PropertiesAt {
  readonly properties: JsonValue | undefined;
  /** Pointer of the object that has `properties` and `required`. */
  readonly pointer: string;
  readonly required: JsonValue | undefined;
  /** Dotted path of the object; empty at the top. */
  readonly path: string;
  /** 1 at the top. */
  readonly depth: number;
}

/** An object's properties, read. */
export interface ReadProperties {
  readonly properties: readonly ModelProperty[];
  readonly members: readonly Member[];
  /** Standard `properties` and `required` of the object. */
  readonly schema: JsonObject;
}

interface ReadProperty {
  readonly property: ModelProperty;
  readonly member: Member;
  readonly schema: JsonObject;
  /** Named as required, as opposed to implied by a default. */
  readonly named: boolean;
}

/** A property's place and the facts that are known before its schema is read. */
interface PropertyAt {
  readonly name: string;
  readonly path: string;
  readonly depth: number;
  readonly named: boolean;
}

const describe = (node: SchemaNode): { readonly description?: string } => {
  if (node.kind !== 'reference') node.text('title');
  const description = node.text('description');
  return description === undefined ? {} : { description };
};

const readRequired = (at: PropertiesAt, names: ReadonlyMap<string, string>, reading: Reading): ReadonlySet<string> => {
  const required = new Set<string>();
  if (at.required === undefined) return required;
  const pointer = pointerTo(at.pointer, 'required');
  if (!Array.isArray(at.required)) {
    reading.faults.add(pointer, 'INVALID_TYPE', `required is a list of property names, not ${shownValue(at.required)}`);
    return required;
  }
  for (const [index, name] of (at.required as readonly JsonValue[]).entries()) {
    if (reading.faults.isFull) break;
    const folded = typeof name === 'string' ? foldName(name) : '';
    if (names.has(folded)) required.add(folded);
    else
      reading.faults.add(
        pointerTo(pointer, index),
        'UNKNOWN_PROPERTY',
        `required names ${shownValue(name)}, which is not a property`,
      );
  }
  return required;
};

const readNestedType = (path: string, pointer: string, reading: Reading): void => {
  const name = nestedTypePath(path);
  if (reading.nestedTypes.has(name)) {
    reading.faults.add(
      pointer,
      'NAME_CLASH',
      `another object of the model has the GraphQL name ${shownValue(name)} too`,
    );
  }
  reading.nestedTypes.add(name);
};

const readObject = (node: SchemaNode, path: string, depth: number, reading: Reading): ReadProperties => {
  readNestedType(path, node.pointer, reading);
  return readProperties(
    {
      properties: node.value('properties'),
      required: node.value('required'),
      pointer: node.pointer,
      path,
      depth: depth + 1,
    },
    reading,
  );
};

const readReference = (node: SchemaNode, at: PropertyAt, reading: Reading): ReadProperty | undefined => {
  if (at.named) reading.faults.add(node.pointer, 'REFERENCE_REQUIRED', 'a cross-reference cannot be required');
  const reference = parseReference(node, reading);
  if (reference === undefined) return undefined;
  const { name, path } = at;
  return {
    property: { name, path, required: false, ...describe(node), type: 'reference', reference },
    member: { name, required: false, accept: acceptReference(reference) },
    schema: node.standard(),
    named: false,
  };
};

const readArray = (node: SchemaNode, at: PropertyAt, reading: Reading): ReadProperty | undefined => {
  const { name, path, named } = at;
  const [minItems, maxItems] = [node.count('minItems'), node.count('maxItems')];
  node.requireOrder('minItems', 'maxItems', [minItems, maxItems]);
  const constraints = { minItems: minItems ?? 0, maxItems: maxItems ?? Number.POSITIVE_INFINITY };
  const base = { name, path, required: named, ...describe(node), type: 'array' } as const;
  const posted = node.value('items');
  if (posted === undefined) return node.fault('items', 'ITEMS_REQUIRED', 'an array defines its items');
  const items = openSchemaNode(posted, node.pointerOf('items'), reading.faults);
  if (items === undefined) return undefined;
  if (items.required !== undefined) items.fault('required', 'UNKNOWN_KEYWORD', 'items are not required one by one');
  if (items.kind === 'reference') {
    const reference = parseReference(items, reading);
    if (reference === undefined) return undefined;
    const accept = acceptArray(acceptReference({ ...reference, multivalued: false }), constraints);
    const schema = node.standard({ items: items.standard() });
    return { property: { ...base, items: { reference } }, member: { name, required: named, accept }, schema, named };
  }
  if (items.kind !== 'object') {
    return node.fault('items', 'INVALID_ITEMS', 'items are objects or a $ref; arrays of plain values do not exist');
  }
  describe(items);
  const { properties, members, schema: itemSchema } = readObject(items, path, at.depth, reading);
  return {
    property: { ...base, items: { properties } },
    member: { name, required: named, accept: acceptArray(acceptMembers(members), constraints) },
    schema: node.standard({ items: items.standard(itemSchema) }),
    named,
  };
};

const readOne = (node: SchemaNode, at: PropertyAt, reading: Reading): ReadProperty | undefined => {
  const { name, path, named } = at;
  if (node.kind === 'reference') return readReference(node, at, reading);
  if (node.kind === 'array') return readArray(node, at, reading);
  if (node.kind === 'object') {
    const description = describe(node);
    const { properties, members, schema } = readObject(node, path, at.depth, reading);
    return {
      property: { name, path, required: named, ...description, type: 'object', properties },
      member: { name, required: named, accept: acceptMembers(members) },
      schema: node.standard(schema),
      named,
    };
  }
  const description = describe(node);
  const { accept, format, values, defaultValue } = readScalar(node.kind, node, reading.faults);
  const required = named || defaultValue !== undefined;
  const drKey = at.depth === 1 && reading.drKeys.has(foldName(name));
  return {
    property: {
      name,
      path,
      required,
      ...description,
      type: node.kind,
      ...(format && { format }),
      ...(values && { values }),
      drKey,
    },
    member: { name, required, accept, ...(defaultValue === undefined ? {} : { defaultValue }) },
    schema: node.standard(defaultValue === undefined ? {} : { default: defaultValue }),
    named,
  };
};

/** Is there room for the object's properties within the limits? Reports the first that is not. */
const withinLimits = (names: readonly string[], pointer: string, depth: number, reading: Reading): boolean => {
  if (depth > maxDepth) {
    reading.faults.add(pointer, 'TOO_DEEP', `objects nest up to ${maxDepth} levels`);
    return false;
  }
  const hadRoom = reading.met.properties <= maxProperties;
  reading.met.properties += names.length;
  if (reading.met.properties <= maxProperties) return true;
  if (hadRoom) reading.faults.add(pointer, 'TOO_MANY_PROPERTIES', `a model has up to ${maxProperties} properties`);
  return false;
};

/** Reads the properties of an object and all nested ones; reports every fault. */
export const readProperties = (at: PropertiesAt, reading: Reading): ReadProperties => {
  const { faults } = reading;
  const pointer = pointerTo(at.pointer, 'properties');
  const nothing: ReadProperties = { properties: [], members: [], schema: {} };
  if (!isJsonObject(at.properties)) {
    faults.add(pointer, 'PROPERTIES_REQUIRED', 'an object lists its properties by name under properties');
    return nothing;
  }
  const names = Object.keys(at.properties);
  if (names.length === 0) faults.add(pointer, 'PROPERTIES_REQUIRED', 'an object has at least one property');
  if (!withinLimits(names, pointer, at.depth, reading)) return nothing;
  const required = readRequired(at, new Map(names.map((name) => [foldName(name), name])), reading);
  const read = new Map<string, ReadProperty>();
  const graphqlNames = new Set<string>();
  for (const [name, posted] of Object.entries(at.properties)) {
    if (faults.isFull) break;
    const own = pointerTo(pointer, name);
    const nameFault = findNameFault(name);
    if (nameFault !== undefined) faults.add(own, nameFault.code, nameFault.detail);
    const node = posted === undefined ? undefined : openSchemaNode(posted, own, faults);
    if (node === undefined) continue;
    const folded = foldName(name);
    const earlier = read.get(folded);
    const property = readOne(
      node,
      {
        name,
        path: at.path === '' ? name : `${at.path}.${name}`,
        depth: at.depth,
        named: node.required === true || required.has(folded),
      },
      // a second spelling of an object adds no nested types
      earlier === undefined ? reading : { ...reading, nestedTypes: new Set() },
    );
    if (property === undefined) continue;
    if (earlier !== undefined) {
      if (propertyType(earlier.property) !== propertyType(property.property)) {
        faults.add(own, 'CONFLICTING_PROPERTIES', `differs in type from ${earlier.property.name}, the same name`);
      }
      continue;
    }
    const graphqlName = graphqlPropertyName(name);
    if (graphqlNames.has(graphqlName)) {
      faults.add(own, 'NAME_CLASH', `another property has the GraphQL name ${graphqlName} too`);
    }
    graphqlNames.add(graphqlName);
    read.set(folded, property);
  }
  const all = [...read.values()];
  const named = all.filter((property) => property.named).map(({ member }) => member.name);
  return {
    properties: all.map(({ property }) => property),
    members: all.map(({ member }) => member),
    schema: {
      properties: Object.fromEntries(all.map(({ member, schema }) => [member.name, schema])),
      ...(named.length === 0 ? {} : { required: named }),
    },
  };
};
