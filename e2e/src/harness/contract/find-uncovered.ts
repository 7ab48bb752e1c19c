import { operationsOf, type ApiDocument, type Operation } from './api-document.js';
import type { Shown } from './contract.js';

/** What an operation documents and a whole test run is to have seen: successes, parameters with their keys, bodies. */
const documentedBy = ({ parameters, bodies, responses }: Operation): readonly string[] => [
  ...[...responses.keys()].filter((status) => Number(status) < 400),
  ...parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap(({ name, 'x-keys': keys }) =>
      keys === undefined || name === 'sort'
        ? [name, ...Object.keys(keys ?? {}).map((key) => `sort.${key}`)]
        : Object.keys(keys).map((key) => `${name}.${key}`),
    ),
  ...Object.keys(bodies),
];

/** Refusals that every operation is to have shown; the others need a state that not every one can be in. */
const refusals = ['400', '401', '406', '413', '415'];

/** What is documented and no test has brought about, a line for each operation that lacks something. */
export const findUncovered = (document: ApiDocument, shown: readonly Shown[]): readonly string[] =>
  operationsOf(document).flatMap((operation) => {
    const own = shown.filter(({ operationId }) => operationId === operation.operationId);
    const seen = new Set(own.flatMap(({ status, used }) => [String(status), ...used]));
    const expected = [...documentedBy(operation), ...refusals.filter((status) => operation.responses.has(status))];
    const missing = expected.filter((item) => !seen.has(item));
    const { method, path, operationId } = operation;
    return missing.length === 0 ? [] : [`${method} ${path} (${operationId}): ${missing.join(', ')}`];
  });
