import { describe, expect, it } from '@jest/globals';
import {
  type ListingFilter,
  checkSearchQuery,
  parseSearchQuery,
  type SearchProperty,
  type SortTerm,
} from '@fds/search';
import { casesOf } from '@fds/testing';
import fc from 'fast-check';
import { factsOf, keptPlanRows, planPage, statementRows, totalRows, type ListingKnowledge } from './plan-page.js';

const id: SearchProperty = { name: 'id', type: 'string' };
const age: SearchProperty = { name: 'age', type: 'integer' };
const byId: readonly SortTerm[] = [{ property: id, descending: false }];
const byAge: readonly SortTerm[] = [{ property: age, descending: true }];
const search = (query: string) => ({ condition: checkSearchQuery(parseSearchQuery(query), [id, age]) });

const stored = { uuid: 'stored', domainType: 'SERVICE_DATA_STORE' } as const;
const federated = { uuid: 'federated', domainType: 'FEDERATED' } as const;
// the plan asks only which version is restricted
const restrictedTo = (uuid: string) => ({
  visibility: { versions: [{ uuid, domainType: 'FEDERATED', access: {} }], required: [] } as never,
});
const records = { version: stored, rows: 'PER_RECORD' } as const;
const links = { version: federated, rows: 'PER_LINK' } as const;

const everything: ListingKnowledge = { hasIndex: () => true, remembersPlaces: true };
const indexOf = (name: string): ListingKnowledge => ({
  hasIndex: (version, property) => version.uuid === 'stored' && property.name === name,
  remembersPlaces: false,
});

interface Case {
  readonly filter: ListingFilter;
  readonly order?: readonly SortTerm[];
  readonly offset?: number;
  readonly isTotalRequested?: boolean;
  readonly knowledge?: ListingKnowledge;
}
const plan = ({ filter, order = [], offset = 0, isTotalRequested = true, knowledge = everything }: Case) =>
  planPage(filter, { order, offset, limit: 20, isTotalRequested }, knowledge);

const deep = ['VERSION_FROM_PLACE', 'VERSION'];
const few = ['RANGE_FEW', 'HITS', 'ROWS'];
const found = ['HITS', 'ROWS'];

const cases: readonly (readonly [string, Case, readonly string[], string, string])[] = [
  ['the first page of a version', { filter: records }, ['VERSION'], 'KEPT', 'ALL_VERSIONS'],
  ['a page before offset 1000', { filter: records, offset: 999 }, ['VERSION'], 'KEPT', 'ALL_VERSIONS'],
  ['a page from offset 1000 on', { filter: records, offset: 1000 }, deep, 'KEPT', 'ALL_VERSIONS'],
  [
    'a sorted page before offset 150',
    { filter: records, order: byId, offset: 149 },
    ['VERSION'],
    'KEPT',
    'ONE_VERSION',
  ],
  ['a sorted page from offset 150 on', { filter: records, order: byId, offset: 150 }, deep, 'KEPT', 'ONE_VERSION'],
  [
    'a far page of a process that remembers no places',
    { filter: records, offset: 5000, knowledge: indexOf('id') },
    ['VERSION'],
    'KEPT',
    'ALL_VERSIONS',
  ],
  ['a search for all', { filter: { ...records, ...search('*') } }, ['VERSION'], 'KEPT', 'ALL_VERSIONS'],
  [
    'a page without a total',
    { filter: records, isTotalRequested: false },
    ['VERSION'],
    'NOT_REQUESTED',
    'ALL_VERSIONS',
  ],
  ['federated records', { filter: { ...links, rows: 'PER_RECORD' } }, ['VERSION'], 'KEPT', 'ALL_VERSIONS'],
  ['links of a version', { filter: links }, ['ROWS'], 'KEPT', 'ALL_VERSIONS'],
  ['sorted links of a version', { filter: links, order: byId, offset: 5000 }, ['ROWS'], 'KEPT', 'ONE_VERSION'],
  ['links of an adaptor', { filter: { ...links, adaptorUuid: 'a' } }, ['ROWS'], 'KEPT', 'ALL_VERSIONS'],
  ['stored records of an adaptor', { filter: { ...records, adaptorUuid: 'a' } }, ['ROWS'], 'KEPT', 'ALL_VERSIONS'],
  ['named records', { filter: { drUuids: [], rows: 'PER_RECORD' } }, ['ROWS'], 'COUNTED', 'ALL_VERSIONS'],
  ['named records of a version', { filter: { ...records, drUuids: [] } }, ['ROWS'], 'COUNTED', 'ALL_VERSIONS'],
  ['sorted named records', { filter: { ...records, drUuids: [] }, order: byId }, ['ROWS'], 'COUNTED', 'NONE'],
  ['a restricted caller', { filter: { ...records, ...restrictedTo('stored') } }, ['ROWS'], 'KEPT_VISIBLE', 'NONE'],
  [
    'a restricted caller, by link',
    { filter: { ...links, ...restrictedTo('federated') } },
    ['ROWS'],
    'KEPT_VISIBLE',
    'NONE',
  ],
  [
    'a restricted caller, each federated record once',
    { filter: { ...links, rows: 'PER_RECORD', ...restrictedTo('federated') } },
    ['ROWS'],
    'COUNTED',
    'NONE',
  ],
  [
    'a restricted caller, stored records of an adaptor',
    { filter: { ...records, adaptorUuid: 'a', ...restrictedTo('stored') } },
    ['ROWS'],
    'COUNTED',
    'NONE',
  ],
  ['a caller restricted elsewhere', { filter: { ...records, ...restrictedTo('other') } }, ['ROWS'], 'KEPT', 'NONE'],
  [
    'a beginning in its order',
    { filter: { ...records, ...search('id:a*') }, order: byId },
    ['RANGE_IN_ORDER'],
    'WITH_PAGE',
    'ONE_VERSION',
  ],
  [
    'a range in its order, without a total',
    { filter: { ...records, ...search('age:>3') }, order: byAge, isTotalRequested: false },
    ['RANGE_IN_ORDER'],
    'NOT_REQUESTED',
    'ONE_VERSION',
  ],
  ['a value in its order', { filter: { ...records, ...search('id:a') }, order: byId }, few, 'WITH_PAGE', 'ONE_VERSION'],
  ['a range without an order', { filter: { ...records, ...search('age:>3') } }, few, 'WITH_PAGE', 'ONE_VERSION'],
  [
    'a range in another order',
    { filter: { ...records, ...search('age:>3') }, order: byId, offset: 5000 },
    few,
    'WITH_PAGE',
    'ONE_VERSION',
  ],
  [
    'a range without its index',
    { filter: { ...records, ...search('age:>3') }, order: byId, knowledge: indexOf('id') },
    found,
    'WITH_PAGE',
    'ONE_VERSION',
  ],
  ['a search by two tests', { filter: { ...records, ...search('id:a AND age:3') } }, found, 'WITH_PAGE', 'NONE'],
  ['a search within texts', { filter: { ...records, ...search('id:*a*') } }, found, 'WITH_PAGE', 'NONE'],
  ['a search of links', { filter: { ...links, ...search('id:a') } }, found, 'WITH_PAGE', 'ONE_VERSION'],
  [
    'a search of a restricted caller',
    { filter: { ...records, ...search('id:a'), ...restrictedTo('stored') } },
    found,
    'WITH_PAGE',
    'ONE_VERSION',
  ],
  ['a DR Key', { filter: { ...records, drKey: { property: id, value: 'a' } } }, found, 'WITH_PAGE', 'NONE'],
];

describe('the plan of a page', () => {
  it.each(cases)('of %s', (_what, given, statements, total, keptPlan) => {
    const planned = plan(given);
    expect({ statements: planned.statements, total: planned.total, keptPlan: planned.keptPlan }).toEqual({
      statements,
      total,
      keptPlan,
    });
    expect(planned.range !== undefined).toBe(statements[0]?.startsWith('RANGE_'));
  });

  it('uses every row of the tables', () => {
    const plans = cases.map(([, given]) => plan(given));
    expect(new Set(plans.map(({ statements }) => statements[0]))).toEqual(
      new Set(statementRows.map(({ choice }) => choice)),
    );
    expect(new Set(plans.map(({ total }) => total))).toEqual(new Set(totalRows.map(({ choice }) => choice)));
    expect(new Set(plans.map(({ keptPlan }) => keptPlan))).toEqual(new Set(keptPlanRows.map(({ choice }) => choice)));
  });

  it('follows from exactly one row of each table, for random listings', () => {
    const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
    const filter = fc.record({
      version: maybe(fc.constantFrom(stored, federated)),
      rows: fc.constantFrom('PER_LINK' as const, 'PER_RECORD' as const),
      drUuids: maybe(fc.constant<string[]>([])),
      adaptorUuid: maybe(fc.constant('a')),
      drKey: maybe(fc.constant({ property: id, value: 'a' })),
      query: maybe(fc.constantFrom('*', 'id:a', 'id:a*', 'id:*a', 'age:>1', 'age:[* TO *]', 'age:3 OR id:a')),
      restricted: maybe(fc.constantFrom('stored', 'federated', 'other')),
    });
    const page = fc.record({
      order: fc.constantFrom([], byId, byAge),
      offset: fc.constantFrom(0, 149, 150, 999, 1000),
      limit: fc.constant(20),
      isTotalRequested: fc.boolean(),
    });
    const knowledge = fc.constantFrom(everything, indexOf('id'), indexOf('age'), indexOf('none'));
    fc.assert(
      fc.property(filter, page, knowledge, ({ query, restricted, ...rest }, requested, known) => {
        const given = Object.entries(rest).filter(([, value]) => value !== undefined);
        const listing = {
          ...Object.fromEntries(given),
          ...(query === undefined ? {} : search(query)),
          ...(restricted === undefined ? {} : restrictedTo(restricted)),
        } as ListingFilter;
        const facts = factsOf(listing, requested, known);
        for (const table of [statementRows, totalRows, keptPlanRows])
          expect(table.filter(({ applies }) => applies(facts))).toHaveLength(1);
      }),
      { numRuns: casesOf(500) },
    );
  });
});
