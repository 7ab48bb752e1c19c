import { stringifyJson } from '@fds/json';
import { GraphQLObjectType, GraphQLSchema } from 'graphql';
import { buildRecordType, type BuiltRecordType } from './build-record-types.js';
import type { RecordField, RecordTypeDefinition } from './record-type-definition.js';
import type { RecordTypeResolvers } from './record-type-resolvers.js';
import { recordTypesSdl, type RecordTypesSdl, type SdlDecoration } from './record-types-sdl.js';
import type { RecordTypeScope } from './visible-fields.js';

/** The record types of a schema as they come and go. Not for use by several threads; nothing to close. */
export interface RecordTypeRegistry {
  /**
   * Adds the types of a definition, or replaces those of the same name; types that refer to it follow.
   *
   * @throws TypeError when another definition has a type of the same name; nothing is changed then
   */
  put(definition: RecordTypeDefinition): void;
  /** Removes a definition's types and the fields that refer to them. Unknown names are ignored. */
  remove(typeName: string): void;
  /** The definition of a record type. */
  find(typeName: string): RecordTypeDefinition | undefined;
  /** The definition that a generated type belongs to: the record type itself, its page or an object nested in it. */
  ownerOf(namedType: string): RecordTypeDefinition | undefined;
  definitions(): readonly RecordTypeDefinition[];
  /**
   * The static schema with the record types. The same object until something changes; earlier ones stay usable, so that
   * running operations are not disturbed. What did not change is reused: a change costs little more than a new Query.
   */
  schema(): GraphQLSchema;
  /** The SDL of some record types; equal to the types of `schema()` when all are asked for. */
  sdl(typeNames: ReadonlySet<string>, decoration: SdlDecoration): RecordTypesSdl;
}

export interface RecordTypeRegistryOptions {
  /** Supplies Page, RecordMetadata, the scalars, and every static root field. */
  readonly staticSchema: GraphQLSchema;
  /** Without them the schema serves validation and introspection only. */
  readonly resolvers?: RecordTypeResolvers;
}

const fold = (typeName: string): string => typeName.toLowerCase();

const typeNamesOf = (definition: RecordTypeDefinition): readonly string[] => [
  definition.typeName,
  definition.pageTypeName,
  ...definition.nestedTypes.map(({ typeName }) => typeName),
];

const targetsOf = (definition: RecordTypeDefinition): ReadonlySet<string> => {
  const targets = (fields: readonly RecordField[]) =>
    fields.flatMap((field) => (field.kind === 'reference' ? [fold(field.typeName)] : []));
  return new Set([...targets(definition.fields), ...definition.nestedTypes.flatMap(({ fields }) => targets(fields))]);
};

/** Creates an empty registry. */
export const createRecordTypeRegistry = (options: RecordTypeRegistryOptions): RecordTypeRegistry => {
  const { staticSchema, resolvers } = options;
  const staticConfig = staticSchema.toConfig();
  const staticQuery = staticSchema.getQueryType()?.toConfig() ?? { name: 'Query', fields: {} };
  const staticTypes = staticConfig.types.filter(({ name }) => name !== staticQuery.name);
  const definitions = new Map<string, RecordTypeDefinition>();
  const owners = new Map<string, RecordTypeDefinition>();
  /** Folded name of a record type, known or not, to those that refer to it. */
  const referrers = new Map<string, Set<string>>();
  /** A built type's targets are built too. */
  const built = new Map<string, BuiltRecordType>();
  let current: GraphQLSchema | undefined;

  const find = (typeName: string) => definitions.get(fold(typeName));
  const scope: RecordTypeScope = { find, includes: () => true };
  const surroundings = {
    ...scope,
    record: (typeName: string) => built.get(fold(typeName))?.record,
    staticType: (name: string) => staticSchema.getType(name),
  };

  /** Forgets the built types of a name and of all that refer to it: a schema may not hold two types of one name. */
  const forget = (name: string): void => {
    current = undefined;
    const pending = [name];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      built.delete(next);
      for (const referrer of referrers.get(next) ?? []) if (built.has(referrer)) pending.push(referrer);
    }
  };

  const unlink = (definition: RecordTypeDefinition): void => {
    const name = fold(definition.typeName);
    for (const typeName of typeNamesOf(definition)) owners.delete(typeName);
    for (const target of targetsOf(definition)) referrers.get(target)?.delete(name);
    definitions.delete(name);
  };

  const link = (definition: RecordTypeDefinition): void => {
    const name = fold(definition.typeName);
    definitions.set(name, definition);
    for (const typeName of typeNamesOf(definition)) owners.set(typeName, definition);
    for (const target of targetsOf(definition)) {
      const known = referrers.get(target);
      if (known === undefined) referrers.set(target, new Set([name]));
      else known.add(name);
    }
  };

  const requireFreeNames = (definition: RecordTypeDefinition, earlier: RecordTypeDefinition | undefined): void => {
    for (const typeName of typeNamesOf(definition)) {
      const owner = owners.get(typeName);
      if (owner !== undefined && owner !== earlier) {
        throw new TypeError(`${typeName} of ${definition.typeName} is a type of ${owner.typeName} already`);
      }
    }
  };

  const build = (): GraphQLSchema => {
    for (const [name, definition] of definitions) {
      if (!built.has(name)) built.set(name, buildRecordType(definition, surroundings, resolvers));
    }
    const fields = { ...staticQuery.fields };
    for (const [name, { queryField }] of built) fields[definitions.get(name)?.typeName ?? name] = queryField;
    const query = new GraphQLObjectType({ ...staticQuery, fields });
    // every type is ours or of a valid schema
    return new GraphQLSchema({ ...staticConfig, types: staticTypes, query, assumeValid: true });
  };

  return {
    put: (definition) => {
      const earlier = find(definition.typeName);
      if (earlier !== undefined && stringifyJson(earlier) === stringifyJson(definition)) return;
      requireFreeNames(definition, earlier);
      if (earlier !== undefined) unlink(earlier);
      link(definition);
      forget(fold(definition.typeName));
    },
    remove: (typeName) => {
      const definition = find(typeName);
      if (definition === undefined) return;
      unlink(definition);
      forget(fold(typeName));
    },
    find,
    ownerOf: (namedType) => owners.get(namedType),
    definitions: () => [...definitions.values()],
    schema: () => (current ??= build()),
    sdl: (typeNames, decoration) => recordTypesSdl(typeNames, find, decoration),
  };
};
