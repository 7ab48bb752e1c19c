import { isJsonObject, parseJson, stringifyJson } from '@fds/json';

/** Adds the id of the request to errors that Apollo Server answered before there was an operation. */
export const withRequestId = (body: string, requestId: string): string => {
  if (body.includes('"requestId"')) return body;
  const answer = parseJson(body);
  if (!isJsonObject(answer) || !Array.isArray(answer.errors)) return body;
  const errors = answer.errors
    .filter(isJsonObject)
    .map((error) => ({ ...error, extensions: { ...(error.extensions as object | undefined), requestId } }));
  return stringifyJson({ ...answer, errors });
};
