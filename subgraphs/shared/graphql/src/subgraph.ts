import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { SubgraphName } from './subgraph-names.js';

/** A subgraph as the composition root sees it. */
export interface Subgraph {
  readonly name: SubgraphName;
  /** SDL of the static part, composed ahead of time. */
  readonly typeDefs: string;
  /** Executable schema. The records subgraph replaces it as record types come and go; read it at each use. */
  readonly schema: GraphQLSchema;
  /**
   * The part of the schema that a document asks for: the same object while nothing in that part changes. For subgraphs
   * whose schema is large and changes often. Default: `schema`.
   */
  schemaFor?(document: DocumentNode): GraphQLSchema;
  /**
   * A schema that runs a document faster, where there is one. When it meets what it cannot write, the operation fails with
   * `UnusualValue` of `@fds/record-types` and is to be run on `schemaFor`.
   */
  shortcutFor?(document: DocumentNode): GraphQLSchema | undefined;
  /** Begins background work (bus handlers, change log readers). */
  start(): Promise<void>;
  /** Waits for work in flight and ends it. Idempotent. Does not close what was passed in. */
  close(): Promise<void>;
}
