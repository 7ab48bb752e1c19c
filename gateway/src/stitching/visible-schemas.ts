import { createRecordTypeRegistry, type RecordTypeDefinition } from '@fds/record-types';
import type { GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';

/** Schemas for introspection by callers who may not see every record type. */
export interface VisibleSchemas {
  /** The part of the full schema that may be seen. Nothing and everything cost nothing; in between is kept per set. */
  of(
    full: GraphQLSchema,
    definitions: readonly RecordTypeDefinition[],
    visible: 'ALL' | ReadonlySet<string>,
  ): GraphQLSchema;
}

const maxKeptPerSchema = 16;

export const createVisibleSchemas = (staticSchema: GraphQLSchema): VisibleSchemas => {
  const kept = new WeakMap<GraphQLSchema, LRUCache<string, GraphQLSchema>>();

  const keptFor = (full: GraphQLSchema): LRUCache<string, GraphQLSchema> => {
    const known = kept.get(full) ?? new LRUCache<string, GraphQLSchema>({ max: maxKeptPerSchema });
    kept.set(full, known);
    return known;
  };

  const build = (definitions: readonly RecordTypeDefinition[]): GraphQLSchema => {
    const registry = createRecordTypeRegistry({ staticSchema });
    for (const definition of definitions) registry.put(definition);
    return registry.schema();
  };

  return {
    of: (full, definitions, visible) => {
      if (visible === 'ALL') return full;
      const shown = definitions.filter(({ typeName }) => visible.has(typeName));
      if (shown.length === 0) return staticSchema;
      if (shown.length === definitions.length) return full;
      const schemas = keptFor(full);
      const key = shown
        .map(({ typeName }) => typeName)
        .sort()
        .join(' ');
      const known = schemas.get(key) ?? build(shown);
      schemas.set(key, known);
      return known;
    },
  };
};
