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

const graphqlRequest = (
  { path, authorization }: { readonly path: string; readonly authorization?: string },
  query: string,
  variables: Readonly<Record<string, unknown>>,
): Omit<ExpectedExchange, 'expected'> => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) },
  body: JSON.stringify({ query, variables }),
});

/** The endpoint for reading pages by GraphQL. */
export interface GraphqlEndpoint {
  readonly origin: string;
  readonly path: string;
  readonly field: string;
  readonly authorization: string;
}

/**
 * Every page of the set by GraphQL, checked against the records.
 *
 * @param total number of records that each page has to state; left out, no page asks for it
 */
export const learnGraphqlPages = (
  { origin, path, field, authorization }: GraphqlEndpoint,
  set: RecordSet,
  order: PageOrder = 'unsorted',
  total?: number,
): Promise<ExpectedExchange[]> => {
  const sort = order === 'sorted' ? ', sort: "id"' : '';
  const selected = `data { ${customerFields.join(' ')} }${total === undefined ? '' : ' page { totalElements }'}`;
  const query = `query ($page: Int) { ${field}(page: $page, size: ${pageSize}${sort}) { ${selected} } }`;
  const page = total === undefined ? {} : { page: { totalElements: total } };
  return inTurn(pagesOf(set, order), ({ page: number, expected }) =>
    learnExchange(origin, graphqlRequest({ path, authorization }, query, { page: number }), (body) =>
      deepStrictEqual(body, { data: { [field]: { data: expected, ...page } } }),
    ),
  );
};

/** Each record of the set by its DR Key, by GraphQL, checked against the records. */
export const learnGraphqlRecords = (
  { origin, path, field, authorization }: GraphqlEndpoint,
  { records }: RecordSet,
): Promise<ExpectedExchange[]> => {
  const query = `query ($query: String) { ${field}(query: $query, size: 1) { data { ${customerFields.join(' ')} } } }`;
  return inTurn(records, ({ json }) =>
    learnExchange(origin, graphqlRequest({ path, authorization }, query, { query: `id:"${json.id}"` }), (body) =>
      deepStrictEqual(body, { data: { [field]: { data: [json] } } }),
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

/**
 * The fields of a customer at PostGraphile. Its `id` is the global identifier of GraphQL, so it names the column
 * `rowId`.
 */
const postgraphileFields = ['id: rowId', ...customerFields.filter((name) => name !== 'id')].join(' ');

/** Every page of the set from PostGraphile, checked against the records; `total` as in {@link learnGraphqlPages}. */
export const learnPostgraphilePages = (
  origin: string,
  set: RecordSet,
  order: PageOrder,
  total?: number,
): Promise<ExpectedExchange[]> => {
  const orderBy = order === 'sorted' ? 'ROW_ID_ASC' : 'UUID_ASC';
  const selected = `nodes { ${postgraphileFields} }${total === undefined ? '' : ' totalCount'}`;
  const query = `query ($offset: Int) {
    allCustomers(first: ${pageSize}, offset: $offset, orderBy: [${orderBy}]) { ${selected} } }`;
  const totalCount = total === undefined ? {} : { totalCount: total };
  return inTurn(pagesOf(set, order), ({ page, expected }) =>
    learnExchange(origin, graphqlRequest({ path: '/graphql' }, query, { offset: page * pageSize }), (body) =>
      deepStrictEqual(body, { data: { allCustomers: { nodes: expected, ...totalCount } } }),
    ),
  );
};

/** Each record of the set by its key from PostGraphile, checked against the records. */
export const learnPostgraphileRecords = (origin: string, { records }: RecordSet): Promise<ExpectedExchange[]> => {
  const query = `query ($id: String!) { customerByRowId(rowId: $id) { ${postgraphileFields} } }`;
  return inTurn(records, ({ json }) =>
    learnExchange(origin, graphqlRequest({ path: '/graphql' }, query, { id: json.id }), (body) =>
      deepStrictEqual(body, { data: { customerByRowId: json } }),
    ),
  );
};
