import type { GraphqlErrorAnswer, RequestContext } from '@fds/graphql';
import { getOperationAST } from 'graphql';
import { toPublicError } from '../errors/public-error.js';
import type { AnsweredOperation, TrafficMetrics } from '../metrics/traffic-metrics.js';
import type { InProcessExecutor, InProcessOperation } from './graphql-executor.js';

/** The executor of the GraphQL door with figures of its operations. */
export interface MeteredExecutor {
  readonly executor: InProcessExecutor;
  /** Counts an error that a request is refused with. An error that the executor has counted is not counted again. */
  countRefusal(error: unknown): void;
}

/** Creates an executor that measures operations and counts their errors by code. */
export const createMeteredExecutor = (
  executor: InProcessExecutor,
  metrics: Pick<TrafficMetrics, 'countOperation' | 'countGraphqlError'>,
): MeteredExecutor => {
  const counted = new WeakSet<object>();
  const kept = new WeakMap<InProcessOperation, InProcessOperation>();

  const countErrors = (errors: readonly GraphqlErrorAnswer[] = []): void => {
    for (const { extensions } of errors) {
      metrics.countGraphqlError(typeof extensions?.code === 'string' ? extensions.code : 'INTERNAL');
    }
  };

  const countError = (error: unknown): void => countErrors([toPublicError(error).answer]);

  const metered = (operation: InProcessOperation, document: string, name: string | undefined): InProcessOperation => {
    let type: AnsweredOperation['type'] | undefined;
    /** The executor keeps documents, so nothing is parsed again. */
    const findType = async (context: RequestContext): Promise<void> => {
      try {
        type = getOperationAST(await executor.read(document, context), name)?.operation;
      } catch {
        // the document has no type, and its error is counted with the answer
      }
    };
    const note = async (
      begin: number,
      context: RequestContext,
      outcome: AnsweredOperation['outcome'],
      errors?: readonly GraphqlErrorAnswer[],
    ): Promise<void> => {
      const ms = performance.now() - begin;
      countErrors(errors);
      if (type === undefined) await findType(context);
      metrics.countOperation({ type: type ?? 'unknown', outcome, ms });
    };
    return {
      ...operation,
      execute: async (variables, context) => {
        const begin = performance.now();
        const answer = await operation.execute(variables, context);
        const { data, errors } = answer;
        const isEmpty = data === undefined || data === null;
        const outcome = errors === undefined ? 'SUCCESS' : isEmpty ? 'ERROR' : 'PARTIAL';
        await note(begin, context, outcome, errors);
        return answer;
      },
      refusal: async (context) => {
        const begin = performance.now();
        const refused = await operation.refusal(context);
        if (refused !== undefined) await note(begin, context, 'ERROR', refused);
        return refused;
      },
      follow: async (variables, context) => {
        const begin = performance.now();
        const followed = await operation.follow(variables, context);
        if ('errors' in followed) {
          await note(begin, context, 'ERROR', followed.errors);
          return followed;
        }
        await note(begin, context, 'SUCCESS');
        return {
          source: followed.source,
          answer: async (event, eventContext) => {
            const answer = await followed.answer(event, eventContext);
            countErrors(answer.errors);
            return answer;
          },
        };
      },
    };
  };

  const keep = (operation: InProcessOperation, document: string, name?: string): InProcessOperation => {
    let known = kept.get(operation);
    if (known === undefined) kept.set(operation, (known = metered(operation, document, name)));
    return known;
  };

  return {
    executor: {
      ...executor,
      prepare: (document, name) => keep(executor.prepare(document, name), document, name),
      recall: (document, name) => keep(executor.recall(document, name), document, name),
      read: async (document, caller) => {
        try {
          return await executor.read(document, caller);
        } catch (error) {
          countError(error);
          if (typeof error === 'object' && error !== null) counted.add(error);
          throw error;
        }
      },
    },
    countRefusal: (error) => {
      if (typeof error !== 'object' || error === null || !counted.has(error)) countError(error);
    },
  };
};
