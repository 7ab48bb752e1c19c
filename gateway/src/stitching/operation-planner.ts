import { Supergraph, operationFromDocument, type Operation, type Schema } from '@apollo/federation-internals';
import { QueryPlanner, type QueryPlan } from '@apollo/query-planner';
import type { RecordTypeDefinition, RecordTypeRegistry } from '@fds/record-types';
import { GraphQLError, type DocumentNode, type GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { exactLiterals } from './exact-literals.js';
import { recordsDecoration, type PlanningBase, type StaticSupergraph } from './static-supergraph.js';
import { touchedTypes } from './touched-types.js';

/** A supergraph pruned to what some operations touch. */
interface PrunedSupergraph {
  /** Names of the record types in it. */
  readonly recordTypes: ReadonlySet<string>;
  readonly graphqlSchema: GraphQLSchema;
  readonly apiSchema: Schema;
  readonly planner: QueryPlanner;
}

/** An operation ready to run. It stays runnable when record types come and go after it was planned. */
export interface PlannedOperation {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly plan: QueryPlan;
  readonly supergraph: PrunedSupergraph;
  /** Does it ask for `__schema` or `__type`? */
  readonly introspects: boolean;
}

/** The record types that a definition's fields refer to, in the case of the reference. */
const referencedBy = (definition: RecordTypeDefinition): string[] =>
  [...definition.fields, ...definition.nestedTypes.flatMap(({ fields }) => fields)].flatMap((field) =>
    field.kind === 'reference' ? [field.typeName] : [],
  );

const readOperation = (schema: Schema, document: DocumentNode, operationName: string | undefined): Operation => {
  try {
    return operationFromDocument(schema, document, { operationName });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new GraphQLError(error.message, { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });
  }
};

/** Limits of what is kept; the least recently used goes first. */
const maxPlans = 1000;
const maxPruned = 200;

/** Plans operations against the static supergraph and the record types they touch, and keeps the plans. */
export class OperationPlanner {
  readonly #static: StaticSupergraph;
  readonly #registry: RecordTypeRegistry;
  readonly #plans = new LRUCache<string, PlannedOperation>({ max: maxPlans });
  readonly #pruned = new LRUCache<string, PrunedSupergraph>({ max: maxPruned });

  constructor(staticSupergraph: StaticSupergraph, registry: RecordTypeRegistry) {
    this.#static = staticSupergraph;
    this.#registry = registry;
  }

  /**
   * @param document valid against the schema
   * @param source its text
   * @throws GraphQLError with code GRAPHQL_VALIDATION_FAILED: there is no such operation in the document, or a record
   * type that it asks for has gone meanwhile
   */
  plan(
    schema: GraphQLSchema,
    document: DocumentNode,
    source: string,
    operationName: string | undefined,
  ): PlannedOperation {
    const key = `${operationName ?? ''}\0${source}`;
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    const { recordTypes, base, introspects } = touchedTypes(document, schema, this.#registry);
    const supergraph = this.#prune(recordTypes, base);
    const exact = exactLiterals(document, schema);
    const plan = supergraph.planner.buildQueryPlan(readOperation(supergraph.apiSchema, exact, operationName));
    const planned = { document: exact, operationName, plan, supergraph, introspects };
    this.#plans.set(key, planned);
    return planned;
  }

  /** Forgets the plans of operations that touch a record type, or one that refers to it. Running ones are not disturbed. */
  forget(typeName: string): void {
    const folded = typeName.toLowerCase();
    const concerns = (name: string): boolean => {
      if (name.toLowerCase() === folded) return true;
      const definition = this.#registry.find(name);
      return definition === undefined || referencedBy(definition).some((target) => target.toLowerCase() === folded);
    };
    for (const [key, { recordTypes }] of this.#pruned.entries()) {
      if ([...recordTypes].some(concerns)) this.#pruned.delete(key);
    }
    for (const [key, { supergraph }] of this.#plans.entries()) {
      if ([...supergraph.recordTypes].some(concerns)) this.#plans.delete(key);
    }
  }

  #prune(recordTypes: ReadonlySet<string>, base: PlanningBase): PrunedSupergraph {
    const key = [base, ...[...recordTypes].sort()].join(' ');
    const known = this.#pruned.get(key);
    if (known !== undefined) return known;
    const sdl = this.#static.withRecordTypes(base, this.#registry.sdl(recordTypes, recordsDecoration));
    const supergraph = Supergraph.build(sdl, { validateSupergraph: false });
    const pruned: PrunedSupergraph = {
      recordTypes,
      graphqlSchema: supergraph.schema.toGraphQLJSSchema(),
      apiSchema: supergraph.apiSchema(),
      planner: new QueryPlanner(supergraph, {}),
    };
    this.#pruned.set(key, pruned);
    return pruned;
  }
}
