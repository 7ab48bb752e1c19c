import type { SearchQuery, ValueTest } from './search-query.js';

const ofTest = (test: ValueTest): string[] => {
  const operands =
    test.kind === 'equals'
      ? [test.operand]
      : test.kind === 'range'
        ? [test.from, test.to].flatMap((bound) => bound?.operand ?? [])
        : [];
  return operands.flatMap((operand) => (operand.kind === 'placeholder' ? [operand.name] : []));
};

const collect = (query: SearchQuery): string[] => {
  switch (query.kind) {
    case 'all':
      return [];
    case 'match':
      return ofTest(query.test);
    case 'not':
      return collect(query.of);
    case 'and':
    case 'or':
      return query.of.flatMap(collect);
    case 'clauses':
      return [...query.required, ...query.optional, ...query.excluded].flatMap(collect);
  }
};

/** The names of the placeholders of an expression as written, each once. */
export const placeholdersOf = (query: SearchQuery): readonly string[] => [...new Set(collect(query))];
