import { isJsonObject, parseJson, stringifyJson } from '@fds/json';

/** A failed answer of Apollo Server, with the missing parts added. */
export interface CompletedFailure {
  readonly body: string;
  /** The request was well-formed; its document or its variables are at fault. */
  readonly isDocumentFault: boolean;
}

/**
 * Adds the request's id when Apollo Server failed before there was an operation, and distinguishes faults of the client
 * from ours.
 */
export const completeFailure = (body: string, requestId: string): CompletedFailure => {
  const answer = parseJson(body);
  if (!isJsonObject(answer) || !Array.isArray(answer.errors)) return { body, isDocumentFault: false };
  const errors = answer.errors.filter(isJsonObject).map((error) => {
    const extensions = isJsonObject(error.extensions) ? error.extensions : {};
    return { ...error, extensions: { ...extensions, requestId } };
  });
  return {
    body: stringifyJson({ ...answer, errors }),
    // Apollo Server uses these messages for requests that are not GraphQL requests
    isDocumentFault: errors.every(({ extensions }) => 'code' in extensions && extensions.code !== 'VALIDATION_FAILED'),
  };
};
