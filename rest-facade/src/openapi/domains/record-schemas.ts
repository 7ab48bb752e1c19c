import { orNull } from '../json-schema.js';
import type { JsonSchema } from '../schema-registry.js';
import { objectSchema, type FindTarget } from './property-schema.js';
import type { RecordVersion } from './record-version.js';

/** Schemas of the records of a version, by their use. */
export interface RecordSchemas {
  /** An element of a list. */
  readonly listed: JsonSchema;
  /** A record that is read, created or changed. */
  readonly record: JsonSchema;
  /** A record of an assembly; undefined when the document does not describe the assembly service. */
  readonly assembled: JsonSchema | undefined;
  /** A merge patch of a record of an assembly; undefined in the same case as `assembled`. */
  readonly assembledPatch: JsonSchema | undefined;
  /** A DR Key. */
  readonly drKey: JsonSchema;
  /** The body that adds a record. */
  readonly input: JsonSchema;
  /** A merge patch of the data; undefined when the records are federated. */
  readonly patch: JsonSchema | undefined;
  /** The data of a new record. */
  readonly data: JsonSchema;
}

/** The general schemas of records, which those of a version narrow. */
export interface GeneralSchemas {
  readonly ListedDataRecord: JsonSchema;
  readonly DataRecord: JsonSchema;
  readonly AssembledDataRecord?: JsonSchema;
  readonly AssembledDataRecordPatch?: JsonSchema;
}

/** Adds a named schema to the document. @returns a reference to it */
type Refer = (name: string, schema: JsonSchema) => JsonSchema;

type Properties = Readonly<Record<string, JsonSchema>>;

/** A general schema with additional members and without some others. */
const narrowed = (general: JsonSchema, own: Properties, without: readonly string[], present: readonly string[]) => {
  const {
    properties,
    required = [],
    ...rest
  } = general as JsonSchema & {
    readonly properties: Properties;
    readonly required?: readonly string[];
  };
  const kept = Object.entries(properties).filter(([name]) => !without.includes(name));
  const names = new Set([...required, ...present].filter((name) => !without.includes(name)));
  return {
    ...rest,
    properties: { ...Object.fromEntries(kept), ...own },
    ...(names.size === 0 ? {} : { required: [...names] }),
  };
};

const keySchema = ({ modelSchema, drKeyProperties }: RecordVersion): JsonSchema => {
  const { properties } = objectSchema(modelSchema, { purpose: 'patch', findTarget: () => undefined });
  const all = properties as Properties;
  return {
    type: 'object',
    properties: Object.fromEntries(drKeyProperties.map((name) => [name, all[name] ?? {}])),
    required: drKeyProperties,
  };
};

/** Makes every property optional, because adaptors return only the properties that they have. */
const partly = ({ required: _required, ...schema }: JsonSchema): JsonSchema => {
  const properties = Object.entries((schema['properties'] ?? {}) as Properties);
  return { ...schema, properties: Object.fromEntries(properties.map(([name, value]) => [name, orNull(value)])) };
};

/** Other data that the description of a version depends on. */
interface Surroundings {
  readonly refer: Refer;
  readonly findTarget: FindTarget;
  /** The document describes no other version of the domain, so that a new record need not name it. */
  readonly isOnly: boolean;
  /** Address of an example query for the records in GraphiQL. */
  readonly exampleQueryUrl: string;
}

const inputSchema = ({ domainName, versionNumber }: RecordVersion, json: JsonSchema, isOnly: boolean): JsonSchema => ({
  type: 'object',
  properties: {
    name: { type: 'string', const: domainName },
    version: { type: 'integer', const: versionNumber },
    json,
  },
  required: ['name', ...(isOnly ? [] : ['version']), 'json'],
});

/** Describes the records of a version. */
export const describeRecords = (
  version: RecordVersion,
  general: GeneralSchemas,
  { refer, findTarget, isOnly, exampleQueryUrl }: Surroundings,
): RecordSchemas => {
  const { typeName, domainVersionUuid, domainType, modelSchema } = version;
  const isStored = domainType === 'SERVICE_DATA_STORE';
  const read = objectSchema(modelSchema, { purpose: 'read', findTarget });
  const externalDocs = { description: 'Example query in GraphiQL', url: exampleQueryUrl };
  // a federated record shows its data only in an assembly
  const shown = refer(typeName, { ...(isStored ? read : partly(read)), externalDocs });
  const assembledData = isStored ? refer(`${typeName}_assembled_data`, partly(read)) : shown;
  const drKey = refer(`${typeName}_key`, keySchema(version));
  const data = refer(`${typeName}_data`, objectSchema(modelSchema, { purpose: 'write', findTarget }));
  const own: Properties = {
    domainVersionUuid: { type: 'string', const: domainVersionUuid },
    drKey,
    ...(isStored ? { json: shown } : {}),
  };
  const without = isStored ? ['adaptorUuid'] : ['json', 'createdByUuid', '_refs'];
  const present = isStored ? ['json'] : [];
  const { AssembledDataRecord: assembled, AssembledDataRecordPatch: assembledPatch } = general;
  const describeAssembled = (schema: JsonSchema): JsonSchema =>
    refer(`${typeName}_assembled`, narrowed(schema, { data: assembledData, drKey }, [], []));
  const describePatch = (schema: JsonSchema): JsonSchema => {
    const patched = objectSchema(modelSchema, { purpose: 'patch', findTarget });
    return refer(`${typeName}_assembled_patch`, narrowed(schema, { data: patched, drKey: orNull(drKey) }, [], []));
  };
  return {
    listed: refer(`${typeName}_listed`, narrowed(general.ListedDataRecord, own, without, present)),
    record: refer(`${typeName}_record`, narrowed(general.DataRecord, own, without, present)),
    assembled: assembled && describeAssembled(assembled),
    assembledPatch: assembledPatch && describePatch(assembledPatch),
    drKey,
    input: refer(`${typeName}_input`, inputSchema(version, data, isOnly)),
    patch: isStored
      ? refer(`${typeName}_patch`, objectSchema(modelSchema, { purpose: 'patch', findTarget }))
      : undefined,
    data,
  };
};
