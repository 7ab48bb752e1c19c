import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLEnumType,
  type GraphQLInputType,
} from 'graphql';
import { objectOf, type LeafFormat, type ObjectShape, type Shape } from '../answer/answer-shape.js';
import { formatOf } from '../answer/compile-shape.js';
import type { JsonSchema, SchemaRegistry } from './schema-registry.js';
import { neverNull, shownJson, takenJson } from './json-members.js';

/** Formats other than `json`, whose schema is in json-members.ts. */
const leafSchemas: Readonly<Record<Exclude<LeafFormat, 'json'>, JsonSchema>> = {
  text: { type: 'string' },
  uuid: { type: 'string', format: 'uuid' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  dateTime: { type: 'integer', format: 'int64', description: 'Epoch milliseconds' },
};

/** @throws Error for `json`, because only its member has a schema */
const leafSchema = (format: LeafFormat): JsonSchema => {
  if (format === 'json') throw new Error('JSON of any shape has a schema as a member only, see json-members.ts');
  return leafSchemas[format];
};

/** The schema, or null. */
export const orNull = (schema: JsonSchema): JsonSchema => {
  const { type, enum: values } = schema;
  const anyOf = (schema['anyOf'] ?? []) as readonly JsonSchema[];
  if ([type].flat().includes('null') || anyOf.some((one) => one['type'] === 'null')) return schema;
  if (type !== undefined) {
    return {
      ...schema,
      type: [type, 'null'].flat(),
      ...(Array.isArray(values) ? { enum: [...(values as string[]), null] } : {}),
    };
  }
  return anyOf.length > 0 ? { ...schema, anyOf: [...anyOf, { type: 'null' }] } : { anyOf: [schema, { type: 'null' }] };
};

const described = (schema: JsonSchema, description: string | null | undefined): JsonSchema =>
  description === null || description === undefined ? schema : { ...schema, description };

/** Schema of an object, not registered. */
const membersSchema = ({ members }: ObjectShape, registry: SchemaRegistry): JsonSchema => {
  const properties = members.map(({ name, shape }) => [name, memberSchema(name, shape, registry)] as const);
  const required = members.filter(({ always }) => always).map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(properties), required };
};

/** Is the scalar of a member JSON of any shape? */
const isJson = (shape: Shape): boolean =>
  shape.kind === 'lifted' ? isJson(shape.inner) : shape.kind === 'leaf' && shape.format === 'json';

const memberSchema = (name: string, shape: Shape, registry: SchemaRegistry): JsonSchema => {
  if (!isJson(shape)) return shapeSchema(shape, registry);
  const schema = shownJson(name, registry);
  return shape.nullable && !neverNull.has(name) ? orNull(schema) : schema;
};

const presentSchema = (shape: Shape, registry: SchemaRegistry): JsonSchema => {
  if (shape.kind === 'object') return registry.refer(shape.type, membersSchema(shape, registry));
  if (shape.kind === 'list') return { type: 'array', items: shapeSchema(shape.element, registry) };
  if (shape.kind === 'lifted') return shapeSchema(shape.inner, registry);
  return shape.values === undefined ? leafSchema(shape.format) : { type: 'string', enum: shape.values };
};

/** Schema of an answer. `fields` may leave members out; the schema describes the complete answer. */
export const shapeSchema = (shape: Shape, registry: SchemaRegistry): JsonSchema => {
  const schema = presentSchema(shape, registry);
  return described(shape.nullable ? orNull(schema) : schema, shape.description);
};

/** Values of an enum, and values of answers that may be sent back and are ignored. */
const enumValues = (type: GraphQLEnumType, shown: Shape | undefined): string[] => {
  const own = type.getValues().map(({ name }) => name);
  return [...new Set([...own, ...(shown?.kind === 'leaf' ? (shown.values ?? []) : [])])];
};

const presentInput = (type: GraphQLInputType, registry: SchemaRegistry, shown: Shape | undefined): JsonSchema => {
  if (isListType(type)) {
    return { type: 'array', items: inputSchema(type.ofType, registry, shown?.kind === 'list' ? shown.element : shown) };
  }
  if (isEnumType(type)) return { type: 'string', enum: enumValues(type, shown) };
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const members = shown === undefined ? [] : (objectOf(shown)?.members ?? []);
    const properties = fields.map((field) => {
      const shape = members.find(({ name }) => name === field.name)?.shape;
      return [field.name, described(namedInputSchema(field.name, field.type, registry, shape), field.description)];
    });
    const required = fields.filter((field) => isNonNullType(field.type) && field.defaultValue === undefined);
    return registry.refer(type.name, {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: required.map(({ name }) => name),
    });
  }
  return leafSchema(formatOf(getNamedType(type).name));
};

/**
 * Schema of a body or parameter.
 *
 * @param shown the form that answers show
 */
export const inputSchema = (type: GraphQLInputType, registry: SchemaRegistry, shown?: Shape): JsonSchema =>
  isNonNullType(type) ? presentInput(type.ofType, registry, shown) : orNull(presentInput(type, registry, shown));

/** Schema of a body member or variable with this name. */
export const namedInputSchema = (
  name: string,
  type: GraphQLInputType,
  registry: SchemaRegistry,
  shown?: Shape,
): JsonSchema => {
  if (getNullableType(type).toString() !== 'Json') return inputSchema(type, registry, shown);
  const schema = takenJson(name, registry);
  return isNonNullType(type) ? schema : orNull(schema);
};
