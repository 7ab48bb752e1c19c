import { anyObject, drKeySchema } from '../json-members.js';
import { orNull } from '../json-schema.js';
import type { JsonSchema, SchemaRegistry } from '../schema-registry.js';
import { effectiveMembers } from './assembly-request-schema.js';

const text: JsonSchema = { type: 'string' };
const uuid: JsonSchema = { type: 'string', format: 'uuid' };
const count: JsonSchema = { type: 'integer', minimum: 0 };
const tiers = ['GOLD', 'SILVER', 'BRONZE'];

const objectOf = (properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const adaptorSchema = objectOf(
  {
    uuid,
    name: text,
    zoneUuid: uuid,
    zoneName: text,
    additionalParams: anyObject('Additional information of the adaptor'),
  },
  ['additionalParams'],
);

const provenanceSchema: JsonSchema = {
  type: 'object',
  description: 'The adaptor that each property came from, null for the data store; with `options.provenance`',
  additionalProperties: objectOf({
    adaptorUuid: { type: ['string', 'null'], format: 'uuid' },
    tier: { type: 'string', enum: tiers },
  }),
};

const statusSchema: JsonSchema = {
  type: 'string',
  enum: ['PREFERRED_COMPLETE', 'PREFERRED_PARTIAL', 'FALLBACK', 'UNAVAILABLE'],
};

const incompleteReferencesSchema: JsonSchema = {
  type: 'array',
  description: 'With `expandRefs`: the nested records that are not PREFERRED_COMPLETE; absent where all of them are',
  items: objectOf({
    pointer: { type: 'string', description: 'JSON pointer in `data`' },
    uuid,
    status: statusSchema,
  }),
};

const recordSchema = objectOf(
  {
    uuid,
    data: anyObject('The merged properties, typed as the model of the domain version'),
    status: {
      ...statusSchema,
      description: 'How far the adaptors that the release policy waits for answered',
    },
    drKey: drKeySchema,
    adaptors: { type: 'array', items: adaptorSchema, description: 'The adaptors that answered for the record' },
    provenance: provenanceSchema,
    timestamps: {
      type: 'array',
      items: { type: 'integer', format: 'int64' },
      description: 'Epoch milliseconds; in the answer to a timestamp search',
    },
    incompleteReferences: incompleteReferencesSchema,
  },
  // with outputType DATA_ONLY, a record has only uuid and data
  ['status', 'drKey', 'adaptors', 'provenance', 'timestamps', 'incompleteReferences'],
);

/** A merge patch of a record: the changed members, with null for a removed one. */
const recordPatchSchema: JsonSchema = {
  type: 'object',
  description: 'A merge patch (RFC 7396) of the record: members that are left out stay, null removes one',
  properties: {
    ...Object.fromEntries(Object.entries(recordSchema.properties).map(([name, schema]) => [name, orNull(schema)])),
    data: anyObject('A merge patch of the properties; null removes one'),
  },
};

const completenessSchema: JsonSchema = {
  type: 'array',
  description: 'The outcome of each adaptor of the request. Denied adaptors are counted without their names',
  items: objectOf(
    {
      adaptorUuid: { type: ['string', 'null'], format: 'uuid' },
      tier: { type: ['string', 'null'], enum: [...tiers, null] },
      outcome: { type: 'string', enum: ['ANSWERED', 'LATE', 'DOWN', 'FAILED', 'DENIED'] },
      milliseconds: count,
      level: {
        type: 'integer',
        minimum: 1,
        description:
          'The level of referenced records that the adaptor was asked for; absent for the records themselves',
      },
      domain: { type: 'string', description: 'Domain of the referenced records' },
      versionNumber: { type: 'integer', minimum: 1, description: 'Version of the referenced records' },
    },
    ['level', 'domain', 'versionNumber'],
  ),
};

const effectiveRequestSchema: JsonSchema = {
  type: 'object',
  description: 'The effective request: defaults filled in',
  properties: { ...effectiveMembers, domainVersionUuid: uuid },
  required: [...Object.keys(effectiveMembers), 'domainVersionUuid'],
};

const endMembers = (registry: SchemaRegistry): Readonly<Record<string, JsonSchema>> => ({
  uuid,
  domain: text,
  versionNumber: { type: 'integer', minimum: 1 },
  domainVersionUuid: uuid,
  virtualizationRequest: registry.refer('VirtualizationRequest', effectiveRequestSchema),
  completeness: completenessSchema,
  _page: objectOf({ page: count, size: count, totalElements: count, totalPages: count }),
  schemaEntries: {
    type: 'array',
    items: objectOf({
      name: text,
      propertyType: {
        type: 'string',
        enum: ['STRING', 'INTEGER', 'NUMBER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'REFERENCE'],
      },
    }),
  },
});

const recordOf = (registry: SchemaRegistry): JsonSchema => registry.refer('AssembledDataRecord', recordSchema);

/** The plain answer (docs/reference/assembly.md#response). */
export const assemblyResponseSchema = (registry: SchemaRegistry): JsonSchema =>
  registry.refer('AssemblyResponse', {
    ...objectOf({ ...endMembers(registry), assembledDataRecords: { type: 'array', items: recordOf(registry) } }),
  });

/** A line of the progressive answer. */
export const assemblyLineSchema = (registry: SchemaRegistry): JsonSchema =>
  registry.refer('AssemblyLine', {
    description:
      'One line. A record at an index replaces the earlier one; a patch is an RFC 7396 merge patch of the record at its index. The last line is the plain answer without its records, or a problem',
    oneOf: [
      registry.refer('AssemblyRecordLine', objectOf({ record: recordOf(registry), index: count })),
      registry.refer(
        'AssemblyPatchLine',
        objectOf({ patch: registry.refer('AssembledDataRecordPatch', recordPatchSchema), uuid, index: count }),
      ),
      registry.refer('AssemblyEndLine', objectOf(endMembers(registry))),
      registry.refer('AssemblyProblemLine', objectOf({ problem: { $ref: '#/components/schemas/Problem' } })),
    ],
  });
