import { deepStrictEqual } from 'node:assert/strict';
import type { ExpectedExchange } from '../load/load-order.js';
import { learnExchange } from '../load/learn-exchange.js';
import { customerFields } from './customer.js';
import type { RecordSet } from './create-record-set.js';

const pageSize = 20;

/** Records in a set whose pages are read: 25 pages of 20. */
export const pagedRecords = 500;

const pagesOf = ({ records }: RecordSet) =>
  Array.from({ length: records.length / pageSize }, (_, page) => ({
    page,
    expected: records.slice(page * pageSize, (page + 1) * pageSize).map(({ json }) => json),
  }));

const inTurn = async <Item>(
  items: readonly Item[],
  learn: (item: Item) => Promise<ExpectedExchange>,
): Promise<ExpectedExchange[]> => {
  const exchanges: ExpectedExchange[] = [];
  for (const item of items) exchanges.push(await learn(item));
  return exchanges;
};

/** Every page of the set by GraphQL, checked against the records. */
export const learnGraphqlPages = (
  endpoint: { readonly origin: string; readonly path: string; readonly field: string; readonly authorization: string },
  set: RecordSet,
): Promise<ExpectedExchange[]> => {
  const { origin, path, field, authorization } = endpoint;
  const query = `query ($page: Int) { ${field}(page: $page, size: ${pageSize}) { data { ${customerFields.join(' ')} } } }`;
  return inTurn(pagesOf(set), ({ page, expected }) =>
    learnExchange(
      origin,
      {
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json', authorization },
        body: JSON.stringify({ query, variables: { page } }),
      },
      (body) => deepStrictEqual(body, { data: { [field]: { data: expected } } }),
    ),
  );
};

/** Every page of the set from the bare server, checked against the records. */
export const learnBarePages = (origin: string, set: RecordSet): Promise<ExpectedExchange[]> =>
  inTurn(pagesOf(set), ({ page, expected }) =>
    learnExchange(origin, { method: 'GET', path: `/page?page=${page}`, headers: {} }, (body) =>
      deepStrictEqual(body, { data: expected }),
    ),
  );
