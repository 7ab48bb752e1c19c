import { shownValue } from './shown-value.js';
import { type ErrorCause, FaultList } from '@fds/errors';
import { isJsonObject, type JsonObject, type JsonValue, isStorableText, pointerTo } from '@fds/json';
import { acceptMembers, type Member } from './record/accept-members.js';
import type { CompiledModel, RecordValidation } from './compiled-model.js';
import { digestDrKey, selectDrKey } from './record/dr-key.js';
import { topLevelKeywords } from './schema/keywords.js';
import type { ModelProperty } from './model-property.js';
import { foldName } from './names/property-name.js';
import { readDrKey } from './schema/read-dr-key.js';
import { readProperties, type ReadProperties } from './schema/read-properties.js';
import { readSearchProperties } from './schema/read-search-properties.js';
import { readPropertyGroups } from './schema/read-property-groups.js';

/** The parts of a domain version that make its model. */
export interface ModelSchemaInput {
  readonly modelSchema: JsonValue;
  readonly drKeyProperties: readonly string[];
  /** Dotted paths. Default: none. */
  readonly searchProperties?: readonly string[];
}

/**
 * A model, or every fault of its schema; pointers start at the body that has `modelSchema` and `drKeyProperties`. With
 * faults, `properties` are those that could be read nevertheless: their references can be looked up at once.
 */
export type ModelSchemaCompilation =
  | { readonly model: CompiledModel; readonly errors?: undefined }
  | {
      readonly model?: undefined;
      readonly errors: readonly ErrorCause[];
      readonly properties: readonly ModelProperty[];
    };

const root = '/modelSchema';

const readTopLevel = (schema: JsonObject, faults: FaultList): void => {
  for (const [keyword, value] of Object.entries(schema)) {
    if (faults.isFull) return;
    const pointer = pointerTo(root, keyword);
    if (!topLevelKeywords.has(keyword)) {
      faults.add(pointer, 'UNKNOWN_KEYWORD', `a model schema does not have the keyword ${keyword}`);
    } else if (keyword === 'type') {
      if (value !== 'object')
        faults.add(pointer, 'UNKNOWN_TYPE', `a model schema is of type object, not ${shownValue(value)}`);
    } else if (['$id', '$schema', 'title', 'description'].includes(keyword)) {
      if (typeof value !== 'string') faults.add(pointer, 'INVALID_TYPE', `${keyword} is a string`);
      else if (!isStorableText(value)) faults.add(pointer, 'INVALID_CHARACTER', 'a character that cannot be stored');
    }
  }
};

/** The schema as it is kept: standard spellings, keywords in the posted order. */
const standardSchema = (
  posted: JsonObject,
  read: ReadProperties,
  groups: readonly (readonly string[])[],
): JsonObject => {
  const { required: _required, ...kept } = posted;
  return { ...kept, ...read.schema, ...(groups.length === 0 ? {} : { propertyGroups: groups }) };
};

/** The members of a DR Key given on its own. */
const keyMembers = (members: readonly Member[], drKeyProperties: readonly string[]): readonly Member[] =>
  drKeyProperties.flatMap((name) => members.filter((member) => member.name === name));

const maxKnownParts = 64;

const createModel = (
  parts: Pick<CompiledModel, 'modelSchema' | 'drKeyProperties' | 'searchProperties' | 'properties' | 'propertyGroups'>,
  members: readonly Member[],
): CompiledModel => {
  const { drKeyProperties } = parts;
  const decimals = new Set(
    parts.properties.flatMap((property) =>
      'format' in property && property.format === 'decimal' ? property.name : [],
    ),
  );
  const acceptRecord = acceptMembers(members);
  const acceptKey = acceptMembers(keyMembers(members, drKeyProperties));
  const partsOfKey = new Map<string, ReturnType<typeof acceptMembers>>();

  const conclude = (accepted: JsonValue, faults: FaultList): RecordValidation => {
    const record = accepted as JsonObject;
    const key = selectDrKey(record, drKeyProperties);
    const isAbsent = (name: string): boolean => key[name] === null && !faults.isAt(`/${name}`);
    if (isJsonObject(accepted) && drKeyProperties.every(isAbsent)) {
      for (const name of drKeyProperties) faults.add(`/${name}`, 'REQUIRED', 'the DR Key must have a value');
    }
    return faults.isEmpty ? { valid: true, record } : { valid: false, errors: faults.causes };
  };

  return Object.freeze({
    ...parts,
    validate: (record: JsonObject) => {
      const faults = new FaultList();
      return conclude(acceptRecord(record, '', faults), faults);
    },
    validateDrKey: (drKey: JsonObject) => {
      const faults = new FaultList();
      const validation = conclude(acceptKey(drKey, '', faults), faults);
      return validation.valid ? { ...validation, record: selectDrKey(validation.record, drKeyProperties) } : validation;
    },
    validateKeyPart: (part: JsonObject): RecordValidation => {
      const faults = new FaultList();
      const given = new Set(Object.keys(part).map(foldName));
      const names = drKeyProperties.filter((name) => given.has(foldName(name)));
      const known = partsOfKey.get(names.join());
      const acceptPart = known ?? acceptMembers(keyMembers(members, names));
      // a model has few key properties; one with many is not asked for every combination of them
      if (known === undefined && partsOfKey.size < maxKnownParts) partsOfKey.set(names.join(), acceptPart);
      const record = acceptPart(part, '', faults) as JsonObject;
      for (const name of names) {
        if (record[name] === null || record[name] === undefined) faults.add(`/${name}`, 'REQUIRED', 'needs a value');
      }
      return faults.isEmpty ? { valid: true, record } : { valid: false, errors: faults.causes };
    },
    drKeyOf: (record: JsonObject) => selectDrKey(record, drKeyProperties),
    keyDigest: (drKey: JsonObject) => digestDrKey(drKey, drKeyProperties, decimals),
  });
};

/**
 * Compiles a model schema (docs/reference/model-schema.md#model-schema). Alternative spellings are accepted; every
 * fault is reported at once. Pure: whether the targets of cross-references exist is asked elsewhere, see `referencesOf`.
 */
export const compileModelSchema = ({
  modelSchema,
  drKeyProperties,
  searchProperties = [],
}: ModelSchemaInput): ModelSchemaCompilation => {
  const faults = new FaultList();
  if (!isJsonObject(modelSchema)) {
    faults.add(root, 'INVALID_TYPE', 'a model schema is an object');
    return { errors: faults.causes, properties: [] };
  }
  readTopLevel(modelSchema, faults);
  const posted = (keyword: string) => (Object.hasOwn(modelSchema, keyword) ? modelSchema[keyword] : undefined);
  const read = readProperties(
    { properties: posted('properties'), required: posted('required'), pointer: root, path: '', depth: 1 },
    {
      faults,
      drKeys: new Set(drKeyProperties.map(foldName)),
      met: { properties: 0, queryLength: 0 },
      nestedTypes: new Set(),
    },
  );
  const spellings = new Map(read.properties.map(({ name }) => [foldName(name), name]));
  const named = isJsonObject(modelSchema['properties']) ? Object.keys(modelSchema['properties']).map(foldName) : [];
  const keys = readDrKey(drKeyProperties, read.properties, new Set(named), faults);
  const searched = readSearchProperties(searchProperties, read.properties, faults);
  const groups = readPropertyGroups(posted('propertyGroups'), pointerTo(root, 'propertyGroups'), spellings, faults);
  if (!faults.isEmpty) return { errors: faults.causes, properties: read.properties };
  return {
    model: createModel(
      {
        modelSchema: standardSchema(modelSchema, read, groups),
        drKeyProperties: keys,
        searchProperties: searched,
        properties: read.properties,
        propertyGroups: groups,
      },
      read.members,
    ),
  };
};
