import type { GraphqlErrorAnswer } from '@fds/graphql';
import type { Log } from '@fds/service';
import { toPublicError } from './public-error.js';

/** Data of a request that failed. */
export interface FailedRequest {
  readonly requestId: string;
  readonly log: Log;
}

/** The public form of an operation's errors. Faults of the service are logged with their cause. */
export const answerErrors = (errors: readonly unknown[], { requestId, log }: FailedRequest): GraphqlErrorAnswer[] =>
  errors.map((error) => {
    const { answer, fault } = toPublicError(error);
    if (fault !== undefined) log.error({ requestId, err: fault, path: answer.path }, 'an operation failed');
    return { ...answer, extensions: { ...answer.extensions, requestId } };
  });
