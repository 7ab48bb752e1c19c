import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLEnumType,
  type GraphQLInputType,
} from 'graphql';
import { objectOf, type LeafFormat, type ObjectShape, type Shape } from '../answer/answer-shape.js';
import { formatOf } from '../answer/compile-shape.js';

/** A JSON Schema (2020-12), as OpenAPI 3.1 uses it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Named schemas of the document; equal ones share a name. */
export interface SchemaRegistry {
  /** Registers a schema and gives a reference to it. */
  refer(name: string, schema: JsonSchema): JsonSchema;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

export const createSchemaRegistry = (): SchemaRegistry => {
  const schemas: Record<string, JsonSchema> = {};
  return {
    schemas,
    refer: (name, schema) => {
      const text = JSON.stringify(schema);
      let unique = name;
      for (let number = 2; unique in schemas && JSON.stringify(schemas[unique]) !== text; number += 1) {
        unique = `${name}${number}`;
      }
      schemas[unique] = schema;
      return { $ref: `#/components/schemas/${unique}` };
    },
  };
};

const leafSchemas: Readonly<Record<LeafFormat, JsonSchema>> = {
  text: { type: 'string' },
  uuid: { type: 'string', format: 'uuid' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  dateTime: { type: 'integer', format: 'int64', description: 'Epoch milliseconds' },
  json: {},
};

const orNull = (schema: JsonSchema): JsonSchema => {
  const { type, enum: values } = schema;
  if (typeof type === 'string') {
    return {
      ...schema,
      type: [type, 'null'],
      ...(Array.isArray(values) ? { enum: [...(values as string[]), null] } : {}),
    };
  }
  return '$ref' in schema ? { anyOf: [schema, { type: 'null' }] } : schema;
};

const described = (schema: JsonSchema, description: string | null | undefined): JsonSchema =>
  description === null || description === undefined ? schema : { ...schema, description };

/** Schema of an object, not registered. */
const membersSchema = ({ members }: ObjectShape, registry: SchemaRegistry): JsonSchema => {
  const properties = members.map(({ name, shape }) => [name, shapeSchema(shape, registry)] as const);
  const required = members.filter(({ always }) => always).map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(properties), required };
};

const presentSchema = (shape: Shape, registry: SchemaRegistry): JsonSchema => {
  if (shape.kind === 'object') return registry.refer(shape.type, membersSchema(shape, registry));
  if (shape.kind === 'list') return { type: 'array', items: shapeSchema(shape.element, registry) };
  if (shape.kind === 'lifted') return shapeSchema(shape.inner, registry);
  return shape.values === undefined ? leafSchemas[shape.format] : { type: 'string', enum: shape.values };
};

/** Schema of what an answer shows. `fields` may leave members out; the schema is that of the whole. */
export const shapeSchema = (shape: Shape, registry: SchemaRegistry): JsonSchema => {
  const schema = presentSchema(shape, registry);
  return described(shape.nullable ? orNull(schema) : schema, shape.description);
};

/** Values of an enum, and those shown that may be sent back: they are ignored. */
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
      return [field.name, described(inputSchema(field.type, registry, shape), field.description)];
    });
    const required = fields.filter((field) => isNonNullType(field.type) && field.defaultValue === undefined);
    return registry.refer(type.name, {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: required.map(({ name }) => name),
    });
  }
  return leafSchemas[formatOf(getNamedType(type).name)];
};

/**
 * Schema of what a body or parameter takes.
 *
 * @param shown what answers show in its place
 */
export const inputSchema = (type: GraphQLInputType, registry: SchemaRegistry, shown?: Shape): JsonSchema =>
  isNonNullType(type) ? presentInput(type.ofType, registry, shown) : orNull(presentInput(type, registry, shown));
