import type { GraphqlAnswer, RequestContext } from '@fds/graphql';
import { currentSpan, inSpan, isTracing } from '@fds/service';
import { getOperationAST } from 'graphql';
import type { InProcessExecutor, InProcessOperation } from './graphql-executor.js';

const failureOf = ({ errors }: Pick<GraphqlAnswer, 'errors'>): string | undefined => {
  const code = errors?.[0]?.extensions?.code;
  return errors === undefined ? undefined : typeof code === 'string' ? code : 'INTERNAL';
};

/**
 * The executor with a span for each operation, named after its type. Names and documents of callers are not in it. Where
 * traces are off, it is the executor itself.
 */
export const createTracedExecutor = (executor: InProcessExecutor): InProcessExecutor => {
  if (!isTracing()) return executor;
  const kept = new WeakMap<InProcessOperation, InProcessOperation>();

  const traced = (operation: InProcessOperation, document: string, name: string | undefined): InProcessOperation => {
    let type: string | undefined;
    /** The executor keeps documents, so nothing is parsed again. */
    const findType = async (context: RequestContext): Promise<string> => {
      try {
        return getOperationAST(await executor.read(document, context), name)?.operation ?? 'operation';
      } catch {
        // the document has no type: its error is in the answer
        return 'operation';
      }
    };
    const within = async <T>(
      context: RequestContext,
      work: () => Promise<T>,
      failure: (result: T) => string | undefined,
    ): Promise<T> => {
      if (currentSpan()?.isRecorded !== true) return work();
      type ??= await findType(context);
      return inSpan({ name: type, attributes: { 'graphql.operation.type': type } }, work, failure);
    };
    return {
      ...operation,
      execute: (variables, context) => within(context, () => operation.execute(variables, context), failureOf),
      follow: (variables, context) =>
        within(
          context,
          () => operation.follow(variables, context),
          (followed) => ('errors' in followed ? failureOf(followed) : undefined),
        ),
    };
  };

  const keep = (operation: InProcessOperation, document: string, name?: string): InProcessOperation => {
    let known = kept.get(operation);
    if (known === undefined) kept.set(operation, (known = traced(operation, document, name)));
    return known;
  };

  return {
    ...executor,
    prepare: (document, name) => keep(executor.prepare(document, name), document, name),
    recall: (document, name) => keep(executor.recall(document, name), document, name),
  };
};
