import type { DocumentNode, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { createSchemaBuilder, type RecordTypeUse } from './build-schema.js';
import { readDocumentNames, type DocumentNames } from './document-names.js';
import { RecordTypeCatalog } from './record-type-catalog.js';
import type { RecordTypeDefinition } from './record-type-definition.js';
import type { RecordTypeResolvers } from './record-type-resolvers.js';
import { createRowShortcuts } from './row-shortcuts.js';
import { recordTypesSdl, type RecordTypesSdl, type SdlDecoration } from './record-types-sdl.js';

/** The record types of a schema as they come and go. Not for use by several threads; nothing to close. */
export interface RecordTypeRegistry {
  /**
   * Adds the types of a definition, or replaces those of the same name. Costs nothing until they are used.
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
  /** Grows with every change. */
  readonly generation: number;
  /** The record types that a document may touch, those it refers to included; at times a few more. */
  touchedBy(document: DocumentNode): ReadonlySet<string>;
  /** CHANGE for a document with a mutation. */
  useOf(document: DocumentNode): RecordTypeUse;
  /**
   * The static schema with some record types and the references among them. The same object while none of them changes,
   * whatever others do; earlier ones stay usable, so that running operations are not disturbed.
   */
  schemaOf(typeNames: ReadonlySet<string>, use: RecordTypeUse): GraphQLSchema;
  /** The static schema with the record types that a document may touch. Costs a comparison while nothing changes. */
  schemaFor(document: DocumentNode): GraphQLSchema;
  /**
   * A schema that runs a document faster and fails with `UnusualValue` where a value is not as its type says; undefined
   * for documents that have to be run on `schemaFor`. Supports data-store records, scalars and nested objects only.
   */
  shortcutFor(document: DocumentNode): GraphQLSchema | undefined;
  /** The static schema with all record types: for introspection. Its cost grows with their number. */
  schema(): GraphQLSchema;
  /** The SDL of some record types; equal to the types of `schemaOf`. */
  sdl(typeNames: ReadonlySet<string>, use: RecordTypeUse, decoration: SdlDecoration): RecordTypesSdl;
}

export type { RecordTypeUse } from './build-schema.js';

export interface RecordTypeRegistryOptions {
  /** Supplies Page, RecordMetadata, the scalars, and every static root field. */
  readonly staticSchema: GraphQLSchema;
  /** Without them the schema serves validation and introspection only. */
  readonly resolvers?: RecordTypeResolvers;
  /** Heap that kept schemas may retain; the least recently used go first. Default 8 MiB. */
  readonly maxSchemaBytes?: number;
}

/** A schema and the input it was made from. */
interface KeptSchema {
  readonly definitions: readonly RecordTypeDefinition[];
  readonly use: RecordTypeUse;
  readonly schema: GraphQLSchema;
}

/** Facts about a document, and how long they are valid. */
interface ReadDocument {
  readonly names: DocumentNames;
  generation: number;
  touched: ReadonlySet<string>;
  /** Neither is kept by its documents: a schema may be as large as thousands of them. */
  schema: WeakRef<GraphQLSchema> | undefined;
  /** Null: the document cannot have a shortcut. */
  shortcut: WeakRef<GraphQLSchema> | null | undefined;
}

/** Heap that a schema retains, measured: its map of types, and each record type with its fields. */
const schemaBytes = 30_000;
const bytesPerType = 20_000;
const bytesPerValue = 600;
const bytesOf = ({ enums }: RecordTypeDefinition, use: RecordTypeUse): number =>
  enums.reduce(
    (bytes, { values }) => bytes + bytesPerValue * values.length,
    use === 'CHANGE' ? 2 * bytesPerType : bytesPerType,
  );
const defaultSchemaBytes = 8 * 2 ** 20;

const byName = (a: RecordTypeDefinition, b: RecordTypeDefinition): number => (a.typeName < b.typeName ? -1 : 1);

/** Creates an empty registry. */
export const createRecordTypeRegistry = (options: RecordTypeRegistryOptions): RecordTypeRegistry => {
  const { staticSchema, resolvers, maxSchemaBytes = defaultSchemaBytes } = options;
  const catalog = new RecordTypeCatalog();
  const build = createSchemaBuilder(staticSchema, resolvers);
  const shortcuts = resolvers && createRowShortcuts(staticSchema, resolvers);
  const kept = new LRUCache<string, KeptSchema>({
    maxSize: Math.ceil(maxSchemaBytes),
    sizeCalculation: ({ definitions, use }) =>
      definitions.reduce((bytes, definition) => bytes + bytesOf(definition, use), schemaBytes),
  });
  const documents = new WeakMap<DocumentNode, ReadDocument>();

  const schemaWith = (definitions: readonly RecordTypeDefinition[], use: RecordTypeUse): GraphQLSchema => {
    if (definitions.length === 0) return staticSchema;
    const key = `${use} ${definitions.map(({ typeName }) => typeName).join(' ')}`;
    const known = kept.get(key);
    if (known?.definitions.every((definition, index) => definition === definitions[index])) return known.schema;
    const schema = build(definitions, { use });
    kept.set(key, { definitions, use, schema });
    return schema;
  };

  const schemaOf = (typeNames: ReadonlySet<string>, use: RecordTypeUse): GraphQLSchema =>
    schemaWith([...typeNames].flatMap((typeName) => catalog.find(typeName) ?? []).sort(byName), use);

  const useOf = ({ changes }: DocumentNames): RecordTypeUse => (changes ? 'CHANGE' : 'READ');

  const read = (document: DocumentNode): ReadDocument => {
    const { generation } = catalog;
    const known = documents.get(document);
    if (known?.generation === generation) return known;
    const names = known?.names ?? readDocumentNames(document);
    const touched = catalog.reachable(names);
    const before = known?.schema?.deref();
    const schema = before && schemaOf(touched, useOf(names));
    // the schema has the same types
    const shortcut = schema !== undefined && schema === before ? known?.shortcut : undefined;
    const fresh = { names, generation, touched, schema: schema && new WeakRef(schema), shortcut };
    documents.set(document, fresh);
    return fresh;
  };

  const buildShortcut = (document: DocumentNode, touched: ReadonlySet<string>): GraphQLSchema | null => {
    if (!shortcuts?.prepare(document, (typeName) => catalog.find(typeName))) return null;
    const definitions = [...touched].flatMap((typeName) => catalog.find(typeName) ?? []);
    const key = `shortcut ${[...touched].join(' ')}`;
    const known = kept.get(key);
    if (known?.definitions.every((definition, index) => definition === definitions[index])) return known.schema;
    const schema = build(definitions, { use: 'READ', rows: shortcuts.rows });
    kept.set(key, { definitions, use: 'READ', schema });
    return schema;
  };

  return {
    put: (definition) => catalog.put(definition),
    remove: (typeName) => catalog.remove(typeName),
    find: (typeName) => catalog.find(typeName),
    ownerOf: (namedType) => catalog.ownerOf(namedType),
    definitions: () => [...catalog.all()],
    get generation() {
      return catalog.generation;
    },
    touchedBy: (document) => read(document).touched,
    useOf: (document) => useOf(read(document).names),
    schemaOf,
    schemaFor: (document) => {
      const known = read(document);
      const kept = known.schema?.deref();
      if (kept !== undefined) return kept;
      const schema = schemaOf(known.touched, useOf(known.names));
      known.schema = new WeakRef(schema);
      return schema;
    },
    shortcutFor: (document) => {
      const known = read(document);
      if (known.touched.size === 0) return undefined;
      if (known.shortcut === null) return undefined;
      const kept = known.shortcut?.deref();
      if (kept !== undefined) return kept;
      const schema = buildShortcut(document, known.touched);
      known.shortcut = schema && new WeakRef(schema);
      return schema ?? undefined;
    },
    schema: () => schemaWith([...catalog.all()].sort(byName), 'CHANGE'),
    sdl: (typeNames, use, decoration) =>
      recordTypesSdl(
        [...typeNames].flatMap((typeName) => catalog.find(typeName) ?? []),
        use,
        decoration,
      ),
  };
};
