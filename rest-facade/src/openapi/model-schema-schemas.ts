import type { JsonSchema, SchemaRegistry } from './schema-registry.js';

const text: JsonSchema = { type: 'string' };
const texts: JsonSchema = { type: 'array', items: text };
const count: JsonSchema = { type: 'integer', minimum: 0 };
const anyValue = (description: string): JsonSchema => ({ description });
const mapOf = (values: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: values });

/** Keywords of a property in the standard spelling (docs/reference/model-schema.md). */
const standardKeywords = (property: JsonSchema): Readonly<Record<string, JsonSchema>> => ({
  type: { type: 'string', enum: ['string', 'integer', 'number', 'boolean', 'array', 'object'] },
  title: text,
  description: text,
  minLength: count,
  maxLength: count,
  pattern: text,
  format: text,
  minimum: { type: 'number' },
  maximum: { type: 'number' },
  enum: { type: 'array', items: anyValue('A value of the type of the property') },
  default: anyValue('The value of an absent or null property'),
  items: property,
  minItems: count,
  maxItems: count,
  properties: mapOf(property),
  required: texts,
  query: { type: 'string', description: 'The search expression that links the records of a cross-reference' },
  multivalued: { type: 'boolean' },
  sort: text,
  limit: count,
});

/** Keywords that the service accepts, and returns in the standard spelling. */
const otherSpellings: Readonly<Record<string, JsonSchema>> = {
  // no enum: TypeScript gives the literals of a model in a constant the type string
  type: {
    type: 'string',
    description: 'string, integer, number, boolean, array, object; also int, long, uri, URI and enum',
  },
  enumType: text,
  data: { type: 'array', items: anyValue('A value of the enum') },
  min: { type: 'number' },
  max: { type: 'number' },
  required: { type: ['array', 'boolean'], items: text },
};

const topLevel = (property: JsonSchema): JsonSchema => ({
  type: 'object',
  description: 'The model of a domain version: a subset of JSON Schema, see docs/reference/model-schema.md',
  properties: {
    title: text,
    description: text,
    type: { type: 'string', enum: ['object'] },
    properties: mapOf(property),
    required: texts,
    propertyGroups: { type: 'array', items: texts, description: 'Properties that assembly takes from one adaptor' },
  },
  // `$id` and `$schema`: as properties, tools would read them as keywords of the schema itself
  additionalProperties: true,
  required: ['properties'],
});

const propertyOf = (name: string, more: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  description:
    'A property of a model. A cross-reference has `$ref`: `/domains/<domain>:v<version>`, optionally followed by `/<property>`',
  properties: { ...standardKeywords({ $ref: `#/components/schemas/${name}` }), ...more },
  // `$ref`: as a property, tools would follow it
  additionalProperties: true,
});

/** A model schema in answers. */
export const modelSchema = (registry: SchemaRegistry): JsonSchema =>
  registry.refer('ModelSchema', topLevel(registry.refer('ModelProperty', propertyOf('ModelProperty', {}))));

/** A model schema in bodies. */
export const modelSchemaInput = (registry: SchemaRegistry): JsonSchema => {
  const property = registry.refer('ModelPropertyInput', propertyOf('ModelPropertyInput', otherSpellings));
  return registry.refer('ModelSchemaInput', topLevel(property));
};

const orNull = (type: string): JsonSchema => ({ type: [type, 'null'] });

const comparison = (registry: SchemaRegistry): JsonSchema =>
  registry.refer('MatchingComparison', {
    type: 'object',
    properties: {
      property: { type: 'string', description: 'A DR Key property' },
      comparator: {
        type: 'string',
        enum: ['EXACT', 'IGNORE_CASE', 'NORMALIZED', 'FUZZY', 'PREFIX', 'PHONETIC', 'WITHIN'],
      },
      maxEdits: orNull('integer'),
      length: orNull('integer'),
      tolerance: orNull('number'),
      weight: { ...orNull('number'), description: 'For a comparison in `scores`' },
    },
    required: ['property', 'comparator'],
  });

/** A matching algorithm in answers and bodies. */
export const matchingAlgorithm = (registry: SchemaRegistry): JsonSchema => {
  const comparisons: JsonSchema = { type: 'array', items: comparison(registry) };
  return registry.refer('MatchingAlgorithm', {
    type: 'object',
    description: 'How incoming records find their record, see docs/reference/matching.md',
    properties: {
      type: { type: 'string', enum: ['EXACT', 'RULES', 'SCORED'] },
      rules: {
        type: ['array', 'null'],
        items: { type: 'object', properties: { all: comparisons }, required: ['all'] },
      },
      scores: { type: ['array', 'null'], items: comparison(registry) },
      thresholds: {
        type: ['object', 'null'],
        properties: { match: { type: 'number' }, review: { type: 'number' } },
        required: ['match', 'review'],
      },
      onReview: { type: ['string', 'null'], enum: ['HOLD', 'PRESUME_NEW', 'PRESUME_MATCH', null] },
    },
    required: ['type'],
  });
};
