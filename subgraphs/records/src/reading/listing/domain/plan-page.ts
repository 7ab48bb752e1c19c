import {
  takesEveryKey,
  versionOfAllRecords,
  type ListingFilter,
  type SearchProperty,
  type SortTerm,
} from '@fds/search';
import { hasOnePlan, rangeSearchOf, type RangeSearch } from './range-search.js';

/** Which rows of a listing are requested. */
export interface RequestedPage {
  readonly order: readonly SortTerm[];
  readonly offset: number;
  readonly limit: number;
}

/** The knowledge of this process that can shorten the way to a page. */
export interface ListingKnowledge {
  /** Is the index in order of the property known to exist? */
  hasIndex(version: { readonly uuid: string }, property: SearchProperty): boolean;
  /** Are places of orders remembered (ADR 123)? */
  readonly remembersPlaces: boolean;
}

/** Nothing is known: each page is found without a shortcut. */
export const noKnowledge: ListingKnowledge = { hasIndex: () => false, remembersPlaces: false };

/** The statements that read a page. `store/read-page.ts` has each of them. */
export type PageStatement = 'VERSION_FROM_PLACE' | 'VERSION' | 'RANGE_IN_ORDER' | 'RANGE_FEW' | 'HITS' | 'ROWS';

/** Where the total of all pages comes from. */
export type TotalSource = 'NOT_REQUESTED' | 'KEPT' | 'KEPT_VISIBLE' | 'WITH_PAGE' | 'COUNTED';

/** For which executions the database keeps the plan of a statement. */
export type KeptPlan = 'ALL_VERSIONS' | 'ONE_VERSION' | 'NONE';

/** How a page of a listing is read. The same listing, page and knowledge have the same plan. */
export interface ReadingPlan {
  readonly filter: ListingFilter;
  readonly page: RequestedPage;
  /** In turn: each but the last can leave the page to the next one. */
  readonly statements: readonly [PageStatement, ...PageStatement[]];
  readonly total: TotalSource;
  readonly keptPlan: KeptPlan;
  /** The search of the `RANGE_` statements. */
  readonly range: RangeSearch | undefined;
}

/** A few rows. The planner reads an index in order for so few: it takes one row in 9 for a hit. */
export const maxFew = 256;
/** So many rows of a search are found first and sorted then. More are read in order until the page is full. */
export const maxHits = 10_000;
/** From this offset on, a page begins at a place that is remembered. */
export const farOffset = 1_000;
/** The same in an order by values: the text of each row on the way is folded, which costs as much as ten rows in order of uuid. */
const farSortedOffset = 150;

/** The facts about a listing that decide its plan. Each is found once. */
interface ListingFacts {
  /** VERSION: all records of a version, one row each. SEARCH: rows by their keys. ROWS: any other listing. */
  readonly kind: 'VERSION' | 'SEARCH' | 'ROWS';
  /** Is the page far from the first, and are places remembered? */
  readonly hasPlace: boolean;
  /** The range of an index that has the rows of the search; undefined where no index is known that has them in one range. */
  readonly range: RangeSearch | undefined;
  /** Is the order of that index the order of the page? */
  readonly isInOrderOfRange: boolean;
  readonly isTotalRequested: boolean;
  /** All rows of a version are requested, as far as keys and uuids go. */
  readonly isWholeVersion: boolean;
  readonly isRestricted: boolean;
  /** Does each visible row have an own entry in the kept counts? A record can be visible by one of its links. */
  readonly hasCountsOfVisibleRows: boolean;
  readonly isSorted: boolean;
  readonly isUnrestricted: boolean;
  readonly areRecordsNamed: boolean;
  readonly hasOneTest: boolean;
}

/** A row of a table: a choice, its condition and its reason. Exactly one row of a table applies to a listing. */
export interface PlanRow<Choice> {
  readonly choice: Choice;
  readonly condition: string;
  readonly reason: string;
  readonly applies: (facts: ListingFacts) => boolean;
}

export interface StatementRow extends PlanRow<PageStatement> {
  /** The statement that reads the page if this one leaves it, and when it does. */
  readonly otherwise?: { readonly statement: PageStatement; readonly when: string };
}

export const statementRows: readonly StatementRow[] = [
  {
    choice: 'VERSION_FROM_PLACE',
    condition:
      'all records of a version that the caller may see completely; a page from offset 1000 on, in an order by values from 150 on',
    reason: 'it begins at a remembered place, so the database does not skip the rows of all pages before it (ADR 123)',
    applies: ({ kind, hasPlace }) => kind === 'VERSION' && hasPlace,
    otherwise: { statement: 'VERSION', when: 'no place is known, or records come and go too fast' },
  },
  {
    choice: 'VERSION',
    condition: 'all records of such a version; any other page',
    reason: 'its plan is right for every version and page: to plan it takes longer than to execute it (ADR 123)',
    applies: ({ kind, hasPlace }) => kind === 'VERSION' && !hasPlace,
  },
  {
    choice: 'RANGE_IN_ORDER',
    condition:
      'a search of a data-store version by one test, whose index is known to exist; a range or a beginning, sorted by the same property',
    reason: 'it reads the index in order until the page is full, with one plan for all values (ADR 123)',
    applies: ({ range, isInOrderOfRange }) => range !== undefined && isInOrderOfRange,
  },
  {
    choice: 'RANGE_FEW',
    condition: 'such a search by one value, or in another order',
    reason: 'it reads a few rows by the index and sorts them, with one plan for all values (ADR 123)',
    applies: ({ range, isInOrderOfRange }) => range !== undefined && !isInOrderOfRange,
    otherwise: { statement: 'HITS', when: `it finds more than ${maxFew} rows` },
  },
  {
    choice: 'HITS',
    condition: 'any other search',
    reason:
      'the planner does not know how many rows an expression finds: few hits are found first and sorted then (ADR 18)',
    applies: ({ kind, range }) => kind === 'SEARCH' && range === undefined,
    otherwise: { statement: 'ROWS', when: `it finds more than ${maxHits} rows` },
  },
  {
    choice: 'ROWS',
    condition: 'any other listing: by link, of named records, of an adaptor, for a restricted caller',
    reason: 'the rows are read in their order until the page is full',
    applies: ({ kind }) => kind === 'ROWS',
  },
];

export const totalRows: readonly PlanRow<TotalSource>[] = [
  {
    choice: 'NOT_REQUESTED',
    condition: 'the query selects neither `totalElements` nor `totalPages`',
    reason: 'nothing is counted',
    applies: ({ isTotalRequested }) => !isTotalRequested,
  },
  {
    choice: 'KEPT',
    condition: 'all rows of a version, or of one adaptor in it, for a caller who may see the version completely',
    reason: 'triggers keep this count (ADR 74)',
    applies: ({ isTotalRequested, isWholeVersion, isRestricted }) =>
      isTotalRequested && isWholeVersion && !isRestricted,
  },
  {
    choice: 'KEPT_VISIBLE',
    condition:
      'the same for a restricted caller, except for federated records that are listed once each, and data-store records of one adaptor',
    reason: 'the kept counts of the visible adaptors are added, and only records that rules name are counted (ADR 74)',
    applies: ({ isTotalRequested, isWholeVersion, isRestricted, hasCountsOfVisibleRows }) =>
      isTotalRequested && isWholeVersion && isRestricted && hasCountsOfVisibleRows,
  },
  {
    choice: 'WITH_PAGE',
    condition: 'a search',
    reason:
      'the statement of the page gives it; the rows are counted if it finds too many of them, or if no page is requested',
    applies: ({ isTotalRequested, kind }) => isTotalRequested && kind === 'SEARCH',
  },
  {
    choice: 'COUNTED',
    condition: 'any other listing',
    reason: 'no count is kept for it',
    applies: ({ isTotalRequested, kind, isWholeVersion, isRestricted, hasCountsOfVisibleRows }) =>
      isTotalRequested && kind !== 'SEARCH' && !(isWholeVersion && (!isRestricted || hasCountsOfVisibleRows)),
  },
];

export const keptPlanRows: readonly PlanRow<KeptPlan>[] = [
  {
    choice: 'ALL_VERSIONS',
    condition: 'no search, no sort, and the caller may see all rows',
    reason: 'there are few such texts, and each serves all versions',
    applies: ({ kind, isUnrestricted, isSorted }) => kind !== 'SEARCH' && isUnrestricted && !isSorted,
  },
  {
    choice: 'ONE_VERSION',
    condition: 'the same with a sort and without named records; a search by one test',
    reason:
      'an index of the version serves only a text that names the version; the best plan is the same for all values',
    applies: ({ kind, isUnrestricted, isSorted, areRecordsNamed, hasOneTest }) =>
      kind === 'SEARCH' ? hasOneTest : isUnrestricted && isSorted && !areRecordsNamed,
  },
  {
    choice: 'NONE',
    condition: 'any other listing',
    reason: 'the best plan depends on the values',
    applies: ({ kind, isUnrestricted, isSorted, areRecordsNamed, hasOneTest }) =>
      kind === 'SEARCH' ? !hasOneTest : !isUnrestricted || (isSorted && areRecordsNamed),
  },
];

/** The row of the table that applies. */
const rowOf = <Row extends PlanRow<unknown>>(rows: readonly Row[], facts: ListingFacts): Row => {
  const row = rows.find(({ applies }) => applies(facts));
  if (row === undefined) throw new TypeError('a row of the table applies to each listing');
  return row;
};

const indexedRangeOf = (filter: ListingFilter, { hasIndex }: ListingKnowledge): RangeSearch | undefined => {
  const range = rangeSearchOf(filter);
  return range !== undefined && hasIndex(range.filter.version, range.property) ? range : undefined;
};

/** The facts about a listing. */
export const factsOf = (
  filter: ListingFilter,
  page: RequestedPage & { readonly isTotalRequested: boolean },
  knowledge: ListingKnowledge,
): ListingFacts => {
  const { version, drUuids, drKey, adaptorUuid, visibility, rows, condition } = filter;
  const { order, offset } = page;
  const isSorted = order.length > 0;
  const isSearch = !takesEveryKey(filter);
  const range = indexedRangeOf(filter, knowledge);
  const isFar = offset >= (isSorted ? farSortedOffset : farOffset);
  return {
    kind: isSearch ? 'SEARCH' : versionOfAllRecords(filter) === undefined ? 'ROWS' : 'VERSION',
    hasPlace: isFar && knowledge.remembersPlaces,
    range,
    // one value is in no order, and has few rows as a rule
    isInOrderOfRange: range?.isPoint === false && order[0]?.property.name === range.property.name,
    isTotalRequested: page.isTotalRequested,
    isWholeVersion: version !== undefined && drUuids === undefined && !isSearch,
    isRestricted: visibility?.versions.some(({ uuid }) => uuid === version?.uuid) === true,
    hasCountsOfVisibleRows:
      version?.domainType === 'FEDERATED'
        ? rows === 'PER_LINK' || adaptorUuid !== undefined
        : adaptorUuid === undefined,
    isSorted,
    isUnrestricted: visibility === undefined,
    areRecordsNamed: drUuids !== undefined,
    hasOneTest: hasOnePlan(condition) && drKey === undefined,
  };
};

const statementsFrom = (first: StatementRow): ReadingPlan['statements'] => {
  const next = statementRows.find(({ choice }) => choice === first.otherwise?.statement);
  return [first.choice, ...(next === undefined ? [] : statementsFrom(next))];
};

/**
 * Decides how a page of a listing is read, and where its total comes from. It reads nothing: the three tables above are the
 * decision, and their page (docs/reference/reading-plan.md) is generated from them.
 */
export const planPage = (
  filter: ListingFilter,
  page: RequestedPage & { readonly isTotalRequested: boolean },
  knowledge: ListingKnowledge,
): ReadingPlan => {
  const facts = factsOf(filter, page, knowledge);
  const { order, offset, limit } = page;
  return {
    filter,
    page: { order, offset, limit },
    statements: statementsFrom(rowOf(statementRows, facts)),
    total: rowOf(totalRows, facts).choice,
    keptPlan: rowOf(keptPlanRows, facts).choice,
    range: facts.range,
  };
};
