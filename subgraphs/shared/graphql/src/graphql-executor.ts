import type { RequestContext } from './request-context.js';

/** A GraphQL error as it leaves the service: public members only, `extensions.code` from the error catalogue. */
export interface GraphqlErrorAnswer {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** The answer of an operation. `data` is absent when the operation was refused before it ran. */
export interface GraphqlAnswer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly GraphqlErrorAnswer[];
}

/** A document parsed, validated and planned once, and run many times. */
export interface PreparedOperation {
  /**
   * Runs the operation as the context's principal. Never rejects because of the operation: faults are in `errors`. Integers
   * beyond 2^53 are bigints, in the variables and in the answer.
   */
  execute(variables: Readonly<Record<string, unknown>>, context: RequestContext): Promise<GraphqlAnswer>;
}

/** The gateway as other parts see it: in this process, or over HTTP. */
export interface GraphqlExecutor {
  /**
   * The result can be kept. The document holds a single operation. It is parsed and planned at its first run and again
   * after the schema has changed under it; a document that does not fit the schema answers errors when it is run.
   */
  prepare(document: string): PreparedOperation;
}
