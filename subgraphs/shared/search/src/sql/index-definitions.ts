import { comparisonOf, type SearchCondition, type SearchProperty } from '../condition/search-condition.js';
import type { DatabaseFeatures } from './database-features.js';
import { writeComparable, writeIndexed } from './key-expressions.js';
import type { SortTerm } from './write-order.js';

/** An index that a search asks for: in order of values, or of the pieces of texts. */
export interface IndexNeed {
  readonly property: SearchProperty;
  readonly kind: 'ORDER' | 'TRIGRAM';
}

const ofCondition = (condition: SearchCondition): IndexNeed[] => {
  switch (condition.kind) {
    case 'all':
    case 'record':
      return [];
    case 'not':
      return ofCondition(condition.of);
    case 'and':
    case 'or':
      return condition.of.flatMap(ofCondition);
    case 'test': {
      const { property, test } = condition;
      if (test.kind === 'present') return [];
      if (test.kind === 'equals' || test.kind === 'range') return [{ property, kind: 'ORDER' }];
      const [first] = test.kind === 'wildcard' ? test.parts : [];
      const begins = first !== undefined && 'text' in first;
      return [{ property, kind: begins ? 'ORDER' : 'TRIGRAM' }];
    }
  }
};

/** The indexes that could serve a search and its sort, each once. Booleans have none: each value is half of the records. */
export const indexNeedsOf = (
  condition: SearchCondition | undefined,
  order: readonly SortTerm[],
  { trigrams }: DatabaseFeatures,
): readonly IndexNeed[] => {
  const [sorted] = order;
  const needs = [
    ...(condition === undefined ? [] : ofCondition(condition)),
    ...(sorted === undefined ? [] : [{ property: sorted.property, kind: 'ORDER' as const }]),
  ].filter(({ property, kind }) => comparisonOf(property) !== 'boolean' && (trigrams || kind === 'ORDER'));
  return [...new Map(needs.map((need) => [`${need.kind} ${need.property.name}`, need])).values()];
};

/** The expression that an index of this kind holds; statistics of it let the planner tell a rare value from a common one. */
export const writeIndexedExpression = ({ property, kind }: IndexNeed, features: DatabaseFeatures): string =>
  kind === 'ORDER' ? writeIndexed('dr_key', property, features) : writeComparable('dr_key', property, features);

/** Method, columns and predicate of an index on the records or links of one version: what follows `ON <table>`. */
export const writeIndex = (
  need: IndexNeed,
  { domainVersionUuid, identity }: { readonly domainVersionUuid: string; readonly identity: readonly string[] },
  features: DatabaseFeatures,
): string => {
  const expression = writeIndexedExpression(need, features);
  const columns =
    need.kind === 'ORDER'
      ? `USING btree ((${expression}) NULLS FIRST, ${identity.join(', ')})`
      : `USING gin ((${expression}) gin_trgm_ops)`;
  return `${columns} WHERE domain_version_uuid = '${domainVersionUuid.replaceAll("'", "''")}'::uuid`;
};
