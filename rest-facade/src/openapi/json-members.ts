import type { JsonSchema, SchemaRegistry } from './schema-registry.js';
import { matchingAlgorithm, modelSchema, modelSchemaInput } from './model-schema-schemas.js';

type Describe = (registry: SchemaRegistry) => JsonSchema;

/** An object with any members. */
export const anyObject = (description: string): JsonSchema => ({
  type: 'object',
  additionalProperties: true,
  description,
});
const always =
  (schema: JsonSchema): Describe =>
  () =>
    schema;

/** A value of a DR Key property. */
const plainValue: JsonSchema = { type: ['string', 'number', 'boolean', 'null'] };
export const drKeySchema: JsonSchema = {
  type: 'object',
  additionalProperties: plainValue,
  description: 'DR Key property to value',
};

const orText = (native: JsonSchema): JsonSchema => ({
  anyOf: [native, { type: 'string', description: 'The same as JSON-encoded text' }],
});

/** The data of a record of any domain version. */
export const recordData = anyObject('The data of the record: the properties of its domain version');
const metadata = anyObject('Settings of the adaptor software; secrets are shown as `***`');

/** Comparison of a property of an event with that of a record (docs/reference/matching.md). */
const comparison: JsonSchema = {
  type: 'object',
  properties: {
    property: { type: 'string' },
    comparator: {
      type: 'string',
      enum: ['EXACT', 'IGNORE_CASE', 'NORMALIZED', 'FUZZY', 'PREFIX', 'PHONETIC', 'WITHIN'],
    },
    maxEdits: { type: ['integer', 'null'] },
    length: { type: ['integer', 'null'] },
    tolerance: { type: ['number', 'null'] },
    source: { ...plainValue, description: 'The value of the event' },
    destination: { ...plainValue, description: 'The value of the record' },
    holds: { type: 'boolean' },
    weight: { type: 'number', description: 'Of scores' },
  },
  required: ['property', 'comparator', 'source', 'destination', 'holds'],
};

/** Members of answers that have the type `Json` in GraphQL. Each name has one meaning everywhere. */
const shown: Readonly<Record<string, Describe>> = {
  json: always(recordData),
  drKey: () => drKeySchema,
  modelSchema,
  matchingAlgorithm,
  metadata: always(metadata),
  before: always(anyObject('The members before, as documents of configuration show them')),
  after: always(anyObject('The members after, as documents of configuration show them')),
  rehearsal: always(anyObject('As POST /zones/{zoneUuid}/acls/rehearsal answers it')),
  defaultMetadata: always(metadata),
  dataEvent: () => ({
    type: ['object', 'string'],
    additionalProperties: true,
    description: 'The event as received or sent; text where it is not a JSON object',
  }),
  value: always({ description: 'The value of the adaptor' }),
  otherValue: always({ description: 'The value of the other side' }),
  comparisons: (registry) => ({
    type: 'array',
    items: registry.refer('Comparison', comparison),
    description: 'How each property compares',
  }),
  data: always(anyObject('The resource after the change, or before a deletion; without secrets')),
};

/** Members that can be null in GraphQL, but only where their parent is left out. */
export const neverNull: ReadonlySet<string> = new Set(['json', 'modelSchema', 'matchingAlgorithm']);

/** Members of bodies that have the type `Json` in GraphQL. */
const taken: Readonly<Record<string, Describe>> = {
  json: always(recordData),
  patch: always(anyObject('A JSON merge patch (RFC 7396): the properties to change; null removes one')),
  modelSchema: modelSchemaInput,
  matchingAlgorithm,
  metadata: () => orText(metadata),
  defaultMetadata: () => orText(metadata),
  capabilities: (registry) => orText(capabilities(registry)),
  defaultCapabilities: (registry) => orText(capabilities(registry)),
  values: () => ({
    type: 'array',
    items: {
      type: 'object',
      properties: {
        drUuid: { type: 'string', format: 'uuid' },
        drKey: drKeySchema,
        json: { type: 'object', additionalProperties: true, description: 'The values of the new properties' },
      },
      required: ['json'],
    },
  }),
};

const capabilities: Describe = (registry) => ({
  type: 'array',
  items: registry.refer('CapabilityInput', {
    type: 'object',
    properties: {
      domainName: { type: 'string' },
      versionNumber: { type: 'integer', format: 'int64', minimum: 1 },
      action: { type: 'string', enum: ['POST', 'PUT', 'DELETE', 'GET'] },
      direction: { type: ['string', 'null'], enum: ['IN', 'OUT', null] },
    },
    required: ['domainName', 'versionNumber', 'action'],
  }),
});

const describe = (members: Readonly<Record<string, Describe>>, name: string, registry: SchemaRegistry): JsonSchema => {
  const member = members[name];
  if (member === undefined) throw new Error(`the member "${name}" of type Json has no schema in json-members.ts`);
  return member(registry);
};

/** Schema of a `Json` member of an answer. @throws Error when the member is unknown */
export const shownJson = (name: string, registry: SchemaRegistry): JsonSchema => describe(shown, name, registry);

/** Schema of a `Json` member of a body, or of a body itself. @throws Error when the member is unknown */
export const takenJson = (name: string, registry: SchemaRegistry): JsonSchema => describe(taken, name, registry);
