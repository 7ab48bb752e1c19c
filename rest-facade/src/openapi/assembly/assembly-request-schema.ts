import { anyObject, drKeySchema } from '../json-members.js';
import { orNull } from '../json-schema.js';
import type { JsonSchema } from '../schema-registry.js';

const uuid: JsonSchema = { type: 'string', format: 'uuid' };

const described = (schema: JsonSchema, description: string): JsonSchema => ({ ...schema, description });
const listOf = (items: JsonSchema, description: string): JsonSchema => ({ type: 'array', items, description });
const integer = (minimum: number, maximum: number | undefined, standard: number, description: string): JsonSchema => ({
  type: 'integer',
  minimum,
  ...(maximum === undefined ? {} : { maximum }),
  default: standard,
  description,
});
const flag = (description: string): JsonSchema => ({ type: 'boolean', default: false, description });

/** The object, or the same as JSON-encoded text. */
const orText = (schema: JsonSchema): JsonSchema => ({ ...schema, type: ['object', 'string'] });
const additionalParams = anyObject('Passed to the adaptors');

/** Members of the request, as a client sends them. */
export const requestMembers: Readonly<Record<string, JsonSchema>> = {
  zoneUuid: described(uuid, "The asking zone, one of the caller's. Default: the caller's default zone"),
  domain: described({ type: 'string' }, 'Required unless drUuids are given'),
  versionNumber: integer(1, undefined, 1, 'Version of the domain'),
  timeout: integer(1, 600, 30, 'Seconds to wait for adaptors'),
  releasePolicy: {
    type: 'string',
    enum: ['GOLD', 'GOLD_SILVER', 'ASAP'],
    default: 'GOLD_SILVER',
    description: 'The answers that the service waits for',
  },
  expandRefs: flag('Also assemble cross-references'),
  maxRefSize: integer(1, 1_000, 10, 'Most records of a multivalued cross-reference'),
  maxRefDepth: integer(1, 100, 10, 'Depth of cross-references; 1 = the record and those it refers to'),
  requestedProperties: listOf({ type: 'string' }, 'Default: all properties'),
  adaptors: listOf(uuid, 'Only these adaptors are asked. Default: all capable adaptors'),
  goldAdaptors: listOf(uuid, "Asked, with tier GOLD in place of the zone's preferences"),
  silverAdaptors: listOf(uuid, "Asked, with tier SILVER in place of the zone's preferences"),
  bronzeAdaptors: listOf(uuid, "Asked, with tier BRONZE in place of the zone's preferences"),
  drUuids: listOf(uuid, 'Only these records'),
  drKeys: listOf(
    orText(drKeySchema),
    'Only the records with these DR Keys: objects of property to value, or the same as JSON-encoded text',
  ),
  query: described({ type: 'string' }, 'Search expression on DR Key properties'),
  sort: described({ type: 'string' }, 'DR Key properties, separated by commas; a leading - descends'),
  page: integer(0, undefined, 0, 'From 0'),
  size: integer(1, undefined, 10, 'Records of a page: at most 1000, in a progressive answer at most 100 000'),
  additionalParams: described(
    orText(additionalParams),
    'Passed to the adaptors: an object, or the same as JSON-encoded text',
  ),
  outputType: {
    type: 'string',
    enum: ['FULL', 'DATA_ONLY'],
    default: 'FULL',
    description: 'DATA_ONLY: records have only uuid and data',
  },
  options: {
    type: 'object',
    properties: {
      provenance: flag('State for each property the adaptor that it came from'),
      completeness: flag('The outcome of each adaptor; every answer has it'),
    },
  },
};

/** Members of the effective request that are never null, although they have no default. */
const filledIn = new Set(['zoneUuid', 'domain']);
/** Members that the effective request does not have (docs/reference/assembly.md#response). */
const notShown = new Set(['maxRefSize', 'maxRefDepth', 'options']);

/** Members that the effective request shows as objects, however they were sent. */
const shownAsObjects: Readonly<Record<string, JsonSchema>> = {
  drKeys: listOf(drKeySchema, 'Only the records with these DR Keys'),
  additionalParams,
};

/** Members of the effective request. A member that was not given and has no default is null. */
export const effectiveMembers: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries({ ...requestMembers, ...shownAsObjects })
    .filter(([name]) => !notShown.has(name))
    .map(([name, schema]) => [name, filledIn.has(name) || 'default' in schema ? schema : orNull(schema)]),
);

/** Puts the default into the description: type generators treat a member with the keyword `default` as required. */
const inWords = ({ default: standard, ...schema }: JsonSchema): JsonSchema => {
  const { description, properties } = schema as JsonSchema & { readonly properties?: Record<string, JsonSchema> };
  const members = Object.entries(properties ?? {}).map(([name, member]) => [name, inWords(member)] as const);
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(members) }),
    ...(standard === undefined ? {} : { description: `${String(description)}. Default: ${JSON.stringify(standard)}` }),
  };
};

/** Body of POST `{dvs_url}/request` (docs/reference/assembly.md#request). A member that is null counts as omitted. */
export const assemblyRequestSchema: JsonSchema = {
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(requestMembers).map(([name, schema]) => [name, orNull(inWords(schema))]),
  ),
  examples: [{ domain: 'customer', drKeys: [{ id: 4711 }], releasePolicy: 'GOLD_SILVER', timeout: 5 }],
};
