import type { DocumentNode, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { createSchemaBuilder } from './build-schema.js';
import { readDocumentNames, type DocumentNames } from './document-names.js';
import { RecordTypeCatalog } from './record-type-catalog.js';
import type { RecordTypeDefinition } from './record-type-definition.js';
import type { RecordTypeResolvers } from './record-type-resolvers.js';
import { createRowShortcuts } from './row-shortcuts.js';
import { recordTypesSdl, type RecordTypesSdl, type SdlDecoration } from './record-types-sdl.js';

/** The record types of a schema as they come and go. Not for use by several threads; nothing to close. */
export interface RecordTypeRegistry {
  /**
   * Adds the types of a definition, or replaces those of the same name. Costs nothing until somebody asks for them.
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
  /**
   * The static schema with some record types and the references among them. The same object while none of them changes,
   * whatever others do; earlier ones stay usable, so that running operations are not disturbed.
   */
  schemaOf(typeNames: ReadonlySet<string>): GraphQLSchema;
  /** The static schema with the record types that a document may touch. Costs a comparison while nothing changes. */
  schemaFor(document: DocumentNode): GraphQLSchema;
  /**
   * A schema that runs a document faster and fails with `UnusualValue` where a value is not as its type says; undefined
   * for documents that have to be run on `schemaFor`. Of data-store records, scalars and nested objects only.
   */
  shortcutFor(document: DocumentNode): GraphQLSchema | undefined;
  /** The static schema with all record types: for introspection. Its cost grows with their number. */
  schema(): GraphQLSchema;
  /** The SDL of some record types; equal to the types of `schemaOf`. */
  sdl(typeNames: ReadonlySet<string>, decoration: SdlDecoration): RecordTypesSdl;
}

export interface RecordTypeRegistryOptions {
  /** Supplies Page, RecordMetadata, the scalars, and every static root field. */
  readonly staticSchema: GraphQLSchema;
  /** Without them the schema serves validation and introspection only. */
  readonly resolvers?: RecordTypeResolvers;
}

/** A schema and what it was made of. */
interface KeptSchema {
  readonly definitions: readonly RecordTypeDefinition[];
  readonly schema: GraphQLSchema;
}

/** What is known of a document, and until when. */
interface ReadDocument {
  readonly names: DocumentNames;
  generation: number;
  touched: ReadonlySet<string>;
  schema: GraphQLSchema | undefined;
  /** Null: there is none. */
  shortcut: GraphQLSchema | null | undefined;
}

/** Record types in all kept schemas together; the least recently used schema goes first. */
const maxKeptTypes = 20_000;

const byName = (a: RecordTypeDefinition, b: RecordTypeDefinition): number => (a.typeName < b.typeName ? -1 : 1);

/** Creates an empty registry. */
export const createRecordTypeRegistry = (options: RecordTypeRegistryOptions): RecordTypeRegistry => {
  const { staticSchema, resolvers } = options;
  const catalog = new RecordTypeCatalog();
  const build = createSchemaBuilder(staticSchema, resolvers);
  const shortcuts = resolvers && createRowShortcuts(staticSchema, resolvers);
  const kept = new LRUCache<string, KeptSchema>({
    maxSize: maxKeptTypes,
    sizeCalculation: ({ definitions }) => definitions.length,
  });
  const documents = new WeakMap<DocumentNode, ReadDocument>();

  const schemaWith = (definitions: readonly RecordTypeDefinition[]): GraphQLSchema => {
    if (definitions.length === 0) return staticSchema;
    const key = definitions.map(({ typeName }) => typeName).join(' ');
    const known = kept.get(key);
    if (known?.definitions.every((definition, index) => definition === definitions[index])) return known.schema;
    const schema = build(definitions);
    kept.set(key, { definitions, schema });
    return schema;
  };

  const schemaOf = (typeNames: ReadonlySet<string>): GraphQLSchema =>
    schemaWith([...typeNames].flatMap((typeName) => catalog.find(typeName) ?? []).sort(byName));

  const read = (document: DocumentNode): ReadDocument => {
    const { generation } = catalog;
    const known = documents.get(document);
    if (known?.generation === generation) return known;
    const names = known?.names ?? readDocumentNames(document);
    const touched = catalog.reachable(names);
    const schema = known?.schema && schemaOf(touched);
    // of the same types
    const shortcut = schema !== undefined && schema === known?.schema ? known.shortcut : undefined;
    const fresh = { names, generation, touched, schema, shortcut };
    documents.set(document, fresh);
    return fresh;
  };

  const buildShortcut = (document: DocumentNode, touched: ReadonlySet<string>): GraphQLSchema | null => {
    if (!shortcuts?.prepare(document, (typeName) => catalog.find(typeName))) return null;
    const definitions = [...touched].flatMap((typeName) => catalog.find(typeName) ?? []);
    return build(definitions, shortcuts.rows);
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
    schemaOf,
    schemaFor: (document) => {
      const known = read(document);
      return (known.schema ??= schemaOf(known.touched));
    },
    shortcutFor: (document) => {
      const known = read(document);
      if (known.touched.size === 0) return undefined;
      known.shortcut ??= known.shortcut === undefined ? buildShortcut(document, known.touched) : null;
      return known.shortcut ?? undefined;
    },
    schema: () => schemaWith([...catalog.all()].sort(byName)),
    sdl: (typeNames, decoration) =>
      recordTypesSdl(
        [...typeNames].flatMap((typeName) => catalog.find(typeName) ?? []),
        decoration,
      ),
  };
};
