import { deepStrictEqual } from 'node:assert/strict';
import type { ExpectedExchange } from '../load/load-order.js';
import { learnExchange } from '../load/learn-exchange.js';
import { customerFields } from './customer.js';
import type { RecordSet } from './create-record-set.js';

const pageSize = 20;

/** Records in a set whose pages are read: 25 pages of 20. */
export const pagedRecords = 500;

/** The order in which pages are read. */
export type PageOrder = 'unsorted' | 'sorted';

const pagesOf = ({ records }: RecordSet, order: PageOrder) => {
  const customers = records.map(({ json }) => json);
  if (order === 'sorted') customers.sort((one, other) => (one.id < other.id ? -1 : 1));
  return Array.from({ length: customers.length / pageSize }, (_, page) => ({
    page,
    expected: customers.slice(page * pageSize, (page + 1) * pageSize),
  }));
};

const inTurn = async <Item>(
  items: readonly Item[],
  learn: (item: Item) => Promise<ExpectedExchange>,
): Promise<ExpectedExchange[]> => {
  const exchanges: ExpectedExchange[] = [];
  for (const item of items) exchanges.push(await learn(item));
  return exchanges;
};

/** The endpoint for reading pages by GraphQL. */
export interface GraphqlEndpoint {
  readonly origin: string;
  readonly path: string;
  readonly field: string;
  readonly authorization: string;
}

/** Every page of the set by GraphQL, checked against the records. */
export const learnGraphqlPages = (
  endpoint: GraphqlEndpoint,
  set: RecordSet,
  order: PageOrder = 'unsorted',
): Promise<ExpectedExchange[]> => {
  const { origin, path, field, authorization } = endpoint;
  const sort = order === 'sorted' ? ', sort: "id"' : '';
  const query = `query ($page: Int) { ${field}(page: $page, size: ${pageSize}${sort}) { data { ${customerFields.join(' ')} } } }`;
  return inTurn(pagesOf(set, order), ({ page, expected }) =>
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
export const learnBarePages = (origin: string, set: RecordSet, order: PageOrder): Promise<ExpectedExchange[]> =>
  inTurn(pagesOf(set, order), ({ page, expected }) =>
    learnExchange(origin, { method: 'GET', path: `/${order}?page=${page}`, headers: {} }, (body) =>
      deepStrictEqual(body, { data: expected }),
    ),
  );

/** Every page of the set from PostGraphile, checked against the records. */
export const learnPostgraphilePages = (
  origin: string,
  set: RecordSet,
  order: PageOrder,
): Promise<ExpectedExchange[]> => {
  const orderBy = order === 'sorted' ? 'ID_ASC' : 'UUID_ASC';
  const query = `query ($offset: Int) {
    allCustomers(first: ${pageSize}, offset: $offset, orderBy: [${orderBy}]) { nodes { ${customerFields.join(' ')} } } }`;
  return inTurn(pagesOf(set, order), ({ page, expected }) =>
    learnExchange(
      origin,
      {
        method: 'POST',
        path: '/graphql',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables: { offset: page * pageSize } }),
      },
      (body) => deepStrictEqual(body, { data: { allCustomers: { nodes: expected } } }),
    ),
  );
};
