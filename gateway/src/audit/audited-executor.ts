import type { RequestContext } from '@fds/graphql';
import type { InProcessExecutor, InProcessOperation } from '../executor/graphql-executor.js';

/** Called once for each refusal among the errors of an operation. */
export type OnForbidden = (context: RequestContext, message: string) => void;

const audited = (operation: InProcessOperation, onForbidden: OnForbidden): InProcessOperation => ({
  ...operation,
  execute: async (variables, context) => {
    const answer = await operation.execute(variables, context);
    for (const { message, extensions } of answer.errors ?? [])
      if (extensions?.code === 'FORBIDDEN') onForbidden(context, message);
    return answer;
  },
  follow: async (variables, context) => {
    const followed = await operation.follow(variables, context);
    if ('errors' in followed) {
      for (const { message, extensions } of followed.errors)
        if (extensions?.code === 'FORBIDDEN') onForbidden(context, message);
    }
    return followed;
  },
});

/** The executor of the GraphQL door: it records refused accesses. */
export const createAuditedExecutor = (executor: InProcessExecutor, onForbidden: OnForbidden): InProcessExecutor => {
  const kept = new WeakMap<InProcessOperation, InProcessOperation>();
  const keep = (operation: InProcessOperation): InProcessOperation => {
    let known = kept.get(operation);
    if (known === undefined) kept.set(operation, (known = audited(operation, onForbidden)));
    return known;
  };
  return {
    ...executor,
    prepare: (document, operationName) => keep(executor.prepare(document, operationName)),
    recall: (document, operationName) => keep(executor.recall(document, operationName)),
  };
};
