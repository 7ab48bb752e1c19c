import { Supergraph, operationFromDocument, type Operation, type Schema } from '@apollo/federation-internals';
import { QueryPlanner, type QueryPlan } from '@apollo/query-planner';
import type { RecordTypeRegistry } from '@fds/record-types';
import {
  GraphQLError,
  getOperationAST,
  type DocumentNode,
  type GraphQLSchema,
  type VariableDefinitionNode,
} from 'graphql';
import { readAskedRoots } from './asked-roots.js';
import { exactLiterals } from './exact-literals.js';
import { findLoneFetch, type LoneFetch } from './lone-fetch.js';
import { recordsDecoration, type PlanningBase, type StaticSupergraph } from './static-supergraph.js';

/** A supergraph pruned to what some operations touch. */
interface PrunedSupergraph {
  /** Made at first use: a lone fetch that succeeds needs none. */
  readonly graphqlSchema: GraphQLSchema;
  readonly apiSchema: Schema;
  readonly planner: QueryPlanner;
}

/** An operation ready to run. It stays runnable when record types come and go after it was planned. */
export interface PlannedOperation {
  /** What the operation was validated against. */
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variableDefinitions: readonly VariableDefinitionNode[];
  readonly plan: QueryPlan;
  readonly supergraph: PrunedSupergraph;
  /** The whole plan, where it is one fetch whose answer is the operation's own. */
  readonly loneFetch: LoneFetch | undefined;
  /** Does it ask for `__schema` or `__type`? */
  readonly introspects: boolean;
}

/** An operation that fits a schema. */
export interface ValidOperation {
  /** A part of the API schema, of these record types. */
  readonly schema: GraphQLSchema;
  readonly recordTypes: ReadonlySet<string>;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
}

const readOperation = (schema: Schema, document: DocumentNode, operationName: string | undefined): Operation => {
  try {
    return operationFromDocument(schema, document, { operationName });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new GraphQLError(error.message, { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });
  }
};

/** Plans operations against the static supergraph and the record types they touch. */
export class OperationPlanner {
  readonly #static: StaticSupergraph;
  readonly #registry: RecordTypeRegistry;
  /** A schema that is no longer in use takes its supergraphs along. */
  readonly #pruned = new WeakMap<GraphQLSchema, Map<PlanningBase, PrunedSupergraph>>();

  constructor(staticSupergraph: StaticSupergraph, registry: RecordTypeRegistry) {
    this.#static = staticSupergraph;
    this.#registry = registry;
  }

  /** @throws GraphQLError with code GRAPHQL_VALIDATION_FAILED: there is no such operation in the document */
  plan({ schema, recordTypes, document, operationName }: ValidOperation): PlannedOperation {
    const { introspects, asksStatic } = readAskedRoots(document, (name) => recordTypes.has(name));
    const base = recordTypes.size > 0 && !asksStatic ? 'RECORD_TYPES_ONLY' : 'EVERYTHING';
    const supergraph = this.#prune(schema, recordTypes, base);
    const exact = exactLiterals(document, schema);
    const plan = supergraph.planner.buildQueryPlan(readOperation(supergraph.apiSchema, exact, operationName));
    const loneFetch = findLoneFetch(plan, exact, operationName, schema);
    const { variableDefinitions = [] } = getOperationAST(exact, operationName) ?? {};
    return { schema, document: exact, operationName, variableDefinitions, plan, supergraph, loneFetch, introspects };
  }

  #prune(schema: GraphQLSchema, recordTypes: ReadonlySet<string>, base: PlanningBase): PrunedSupergraph {
    const bases = this.#pruned.get(schema) ?? new Map<PlanningBase, PrunedSupergraph>();
    this.#pruned.set(schema, bases);
    const known = bases.get(base);
    if (known !== undefined) return known;
    const sdl = this.#static.withRecordTypes(base, this.#registry.sdl(recordTypes, recordsDecoration));
    const supergraph = Supergraph.build(sdl, { validateSupergraph: false });
    let graphqlSchema: GraphQLSchema | undefined;
    const pruned: PrunedSupergraph = {
      get graphqlSchema() {
        return (graphqlSchema ??= supergraph.schema.toGraphQLJSSchema());
      },
      apiSchema: supergraph.apiSchema(),
      planner: new QueryPlanner(supergraph, {}),
    };
    bases.set(base, pruned);
    return pruned;
  }
}
