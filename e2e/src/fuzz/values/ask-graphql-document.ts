import type { Door, GraphqlAnswer } from '../../doors/open-doors.js';
import type { RawAnswer } from '../../harness/exchange.js';
import type { Service } from '../../harness/service.js';
import type { FuzzCase } from '../fuzz-target.js';
import { askHttp } from './ask-http.js';

/** Error codes that input of a caller must never cause. */
const failures = new Set(['INTERNAL', 'UNAVAILABLE', 'INTERNAL_SERVER_ERROR', undefined]);

/** Requires that each error of a GraphQL answer is caused by the caller. @throws Error with the answer otherwise */
export const requireCallersErrors = ({ status, body, text }: RawAnswer): void => {
  if (typeof body !== 'object' || body === null) throw new Error(`${status} is not JSON: ${text.slice(0, 500)}`);
  const { errors = [] } = body as GraphqlAnswer;
  if (errors.some(({ extensions }) => failures.has(extensions?.code)))
    throw new Error(`${status} ${text.slice(0, 2_000)}`);
};

/** A case that posts a document, and requires that each error of the answer is caused by the caller. */
export const askGraphql = (
  { token }: Door,
  { baseUrl }: Pick<Service, 'baseUrl'>,
  query: string,
  variables: unknown,
): FuzzCase =>
  askHttp(
    {
      url: `${baseUrl}/graphql`,
      sent: { method: 'POST', json: { query, variables }, ...(token === undefined ? {} : { token }) },
    },
    requireCallersErrors,
  );
