import { operationsOf, type ApiDocument, type Operation } from './api-document.js';
import type { Shown } from './contract.js';

/**
 * The documented parts of an operation that a whole test run must cover: successes, parameters with their keys, bodies.
 */
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

/**
 * Refusals that tests must cause for every operation. Other refusals need a state that not every operation can have.
 */
const refusals = ['400', '401', '406', '413', '415'];

/** The documented parts that no test has covered, as one line for each operation. */
export const findUncovered = (document: ApiDocument, shown: readonly Shown[]): readonly string[] =>
  operationsOf(document).flatMap((operation) => {
    const own = shown.filter(({ operationId }) => operationId === operation.operationId);
    const seen = new Set(own.flatMap(({ status, used }) => [String(status), ...used]));
    const expected = [...documentedBy(operation), ...refusals.filter((status) => operation.responses.has(status))];
    const missing = expected.filter((item) => !seen.has(item));
    const { method, path, operationId } = operation;
    return missing.length === 0 ? [] : [`${method} ${path} (${operationId}): ${missing.join(', ')}`];
  });
