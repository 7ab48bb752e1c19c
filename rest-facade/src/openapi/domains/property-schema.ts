import { isJsonObject, type JsonObject, type JsonValue } from '@fds/json';
import { orNull } from '../json-schema.js';
import type { JsonSchema } from '../schema-registry.js';

/**
 * Schema of the records that a reference leads to, by domain and version; undefined when the document does not describe
 * them.
 */
export type FindTarget = (domainName: string, versionNumber: number) => JsonSchema | undefined;

/** The purpose of a schema: values in answers, values of a new record, or a merge patch. */
type Purpose = 'read' | 'write' | 'patch';

interface Describing {
  readonly purpose: Purpose;
  readonly findTarget: FindTarget;
}

const referencePattern = /^\/domains\/([^:/]+):v(\d+)(\/.+)?$/;

const described = (schema: JsonSchema, { description }: JsonObject): JsonSchema =>
  typeof description === 'string' ? { ...schema, description } : schema;

/** `{"$ref": "/drs/<uuid>"}`. It is not a property of the schema, because tools would follow `$ref`. */
const referenceForm: JsonSchema = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'A reference that is not expanded: `$ref` with the path of the record',
};

const plainValue: JsonSchema = { type: ['string', 'number', 'boolean'] };

/** The schema for a reference to one record. */
const shownReference = (target: string, { findTarget }: Describing): JsonSchema => {
  const [, domainName = '', version = '', property] = referencePattern.exec(target) ?? [];
  if (property !== undefined) return plainValue;
  const record = findTarget(domainName, Number(version));
  return record === undefined ? { type: 'object', additionalProperties: true } : { anyOf: [record, referenceForm] };
};

const postedReference: JsonSchema = {
  type: ['object', 'string', 'number', 'boolean'],
  additionalProperties: true,
  description: '`{"$ref": "/drs/<uuid>"}`, or the DR Key of the record: its value, or an object of several',
};

const referenceSchema = (property: JsonObject, target: string, describing: Describing): JsonSchema => {
  const one = describing.purpose === 'read' ? shownReference(target, describing) : postedReference;
  return described(property['multivalued'] === true ? { type: 'array', items: one } : one, property);
};

const withoutMembers = (schema: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));

/** Schema of the value of a property, without null. */
const valueSchema = (property: JsonObject, describing: Describing): JsonSchema => {
  const { $ref } = property;
  if (typeof $ref === 'string') return referenceSchema(property, $ref, describing);
  if (property['type'] === 'object') return objectSchema(property, describing);
  if (property['type'] === 'array') {
    const { items } = property;
    return { ...property, items: isJsonObject(items) ? valueSchema(items, describing) : {} };
  }
  const own = describing.purpose === 'patch' ? withoutMembers(property, ['default']) : property;
  return property['type'] === 'integer' ? { ...own, format: 'int64' } : own;
};

const namesOf = (required: JsonValue | undefined): readonly string[] =>
  Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : [];

/** Names of properties that a record always has: the model requires them, or fills them with a default. */
const presentNames = (schema: JsonObject, { purpose }: Describing): readonly string[] => {
  if (purpose === 'patch') return [];
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const hasDefault = (name: string): boolean => {
    const property = properties[name];
    return isJsonObject(property) && 'default' in property;
  };
  const named = new Set(namesOf(schema['required']));
  return Object.keys(properties).filter((name) =>
    purpose === 'read' ? named.has(name) || hasDefault(name) : named.has(name) && !hasDefault(name),
  );
};

/** Schema of an object of a model: the whole record, or one nested in it. */
export const objectSchema = (schema: JsonObject, describing: Describing): JsonSchema => {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const present = presentNames(schema, describing);
  const members = Object.entries(properties).map(([name, property]) => {
    const value = isJsonObject(property) ? valueSchema(property, describing) : {};
    return [name, present.includes(name) ? value : orNull(value)] as const;
  });
  return {
    ...described({ type: 'object' }, schema),
    properties: Object.fromEntries(members),
    ...(present.length === 0 ? {} : { required: present }),
    ...(describing.purpose === 'read' ? {} : { additionalProperties: false }),
  };
};
