import { Supergraph, operationFromDocument, type Operation, type Schema } from '@apollo/federation-internals';
import { QueryPlanner, type QueryPlan } from '@apollo/query-planner';
import type { RecordTypeRegistry, RecordTypeUse } from '@fds/record-types';
import {
  GraphQLError,
  getOperationAST,
  type DocumentNode,
  type GraphQLSchema,
  type VariableDefinitionNode,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { cacheShares, supergraphBytes } from '../requests/retained-bytes.js';
import { exactLiterals } from './exact-literals.js';
import { findLoneFetch, type LoneFetch } from './lone-fetch.js';
import { recordsDecoration, type StaticSupergraph } from './static-supergraph.js';
import { fragmentsOf } from '@fds/graphql';

/** The top-level fields of a document, over all its operations. */
interface AskedRoots {
  /** Does the document ask for `__schema` or `__type`? */
  readonly introspects: boolean;
  /** Does it select fields other than record types, or is it a mutation? */
  readonly asksStatic: boolean;
}

const introspectionFields = new Set(['__schema', '__type']);

/** Reads the root fields of a valid document, including those in fragments. */
const readAskedRoots = (document: DocumentNode, isRecordType: (name: string) => boolean): AskedRoots => {
  const fragments = fragmentsOf(document);
  let introspects = false;
  let asksStatic = false;
  const look = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const { value: name } = selection.name;
        if (introspectionFields.has(name)) introspects = true;
        else if (name !== '__typename' && !isRecordType(name)) asksStatic = true;
      } else {
        const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
        if (inner !== undefined) look(inner.selectionSet);
      }
    }
  };
  for (const node of document.definitions) {
    if (node.kind === Kind.OPERATION_DEFINITION) look(node.selectionSet);
  }
  return { introspects, asksStatic };
};

/** A supergraph pruned to the types and fields that some operations use. */
interface PrunedSupergraph {
  /** Built on first use: a lone fetch that succeeds does not need it. */
  readonly graphqlSchema: GraphQLSchema;
  readonly apiSchema: Schema;
  readonly planner: QueryPlanner;
}

/** An operation that is ready to run. It can still run after record types are added or removed. */
export interface PlannedOperation {
  /** The schema that the operation was validated against. */
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variableDefinitions: readonly VariableDefinitionNode[];
  readonly plan: QueryPlan;
  /** The supergraph of the plan. It is built again when it is no longer cached. */
  readonly supergraph: () => PrunedSupergraph;
  /** The fetch of a plan that is a single fetch with the operation's own answer; otherwise undefined. */
  readonly loneFetch: LoneFetch | undefined;
  /** Does it ask for `__schema` or `__type`? */
  readonly introspects: boolean;
}

/** An operation that is valid against a schema. */
export interface ValidOperation {
  /** A part of the API schema with these record types. */
  readonly schema: GraphQLSchema;
  readonly recordTypes: ReadonlySet<string>;
  readonly use: RecordTypeUse;
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

/** Plans operations against the static supergraph and the record types that they use. */
export class OperationPlanner {
  readonly #static: StaticSupergraph;
  readonly #registry: RecordTypeRegistry;
  /** By the SDL they are built from. A supergraph takes megabytes. */
  readonly #pruned: LRUCache<string, PrunedSupergraph>;

  constructor(staticSupergraph: StaticSupergraph, registry: RecordTypeRegistry, cacheBytes: number) {
    this.#static = staticSupergraph;
    this.#registry = registry;
    this.#pruned = new LRUCache({
      maxSize: Math.ceil(cacheBytes * cacheShares.supergraphs),
      sizeCalculation: (_supergraph, key) => supergraphBytes(key),
    });
  }

  /** Slow (milliseconds), so keep the plan. @throws GraphQLError with code GRAPHQL_VALIDATION_FAILED when the document has no such operation */
  plan({ schema, recordTypes, use, document, operationName }: ValidOperation): PlannedOperation {
    const { introspects, asksStatic } = readAskedRoots(document, (name) => recordTypes.has(name));
    const base = recordTypes.size > 0 && !asksStatic ? 'RECORD_TYPES_ONLY' : 'EVERYTHING';
    const types = this.#registry.sdl(recordTypes, use, recordsDecoration);
    const supergraph = (): PrunedSupergraph => this.#prune(this.#static.withRecordTypes(base, types));
    const exact = exactLiterals(document, schema);
    const { planner, apiSchema } = supergraph();
    const plan = planner.buildQueryPlan(readOperation(apiSchema, exact, operationName));
    const loneFetch = findLoneFetch(plan, exact, operationName, schema);
    const { variableDefinitions = [] } = getOperationAST(exact, operationName) ?? {};
    return { schema, document: exact, operationName, variableDefinitions, plan, supergraph, loneFetch, introspects };
  }

  #prune(sdl: string): PrunedSupergraph {
    const known = this.#pruned.get(sdl);
    if (known !== undefined) return known;
    const supergraph = Supergraph.build(sdl, { validateSupergraph: false });
    let graphqlSchema: GraphQLSchema | undefined;
    const pruned: PrunedSupergraph = {
      get graphqlSchema() {
        return (graphqlSchema ??= supergraph.schema.toGraphQLJSSchema());
      },
      apiSchema: supergraph.apiSchema(),
      planner: new QueryPlanner(supergraph, {}),
    };
    this.#pruned.set(sdl, pruned);
    return pruned;
  }
}
