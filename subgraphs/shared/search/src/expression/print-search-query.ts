import type { Operand, SearchQuery, ValueTest, WildcardPart } from './search-query.js';

const quote = (text: string): string => `"${text.replace(/[\\"$]/g, String.raw`\$&`)}"`;
const escapeTerm = (text: string): string => text.replace(/[^A-Za-z0-9]/g, String.raw`\$&`);

const printOperand = (operand: Operand): string =>
  operand.kind === 'placeholder' ? `\${${operand.name}}` : quote(operand.value);

const printPart = (part: WildcardPart): string => ('wild' in part ? part.wild : escapeTerm(part.text));

const printTest = (test: ValueTest): string => {
  switch (test.kind) {
    case 'equals':
      return printOperand(test.operand);
    case 'present':
      return '*';
    case 'wildcard':
      return test.parts.map(printPart).join('');
    case 'fuzzy':
      return `${escapeTerm(test.value)}~${test.maxEdits}`;
    case 'pattern':
      return `/${test.source.replace(/\\.|\//gs, (found) => (found === '/' ? String.raw`\/` : found))}/`;
    case 'range': {
      const { from, to } = test;
      const open = from === null || from.inclusive ? '[' : '{';
      const close = to === null || to.inclusive ? ']' : '}';
      return `${open}${from === null ? '*' : printOperand(from.operand)} TO ${to === null ? '*' : printOperand(to.operand)}${close}`;
    }
  }
};

/** As one clause, in parentheses where another operator could take it apart. */
const printClause = (query: SearchQuery): string =>
  query.kind === 'match' || query.kind === 'all' ? printSearchQuery(query) : `(${printSearchQuery(query)})`;

/** The expression as text. `parseSearchQuery` reads the same expression from it; placeholders must be allowed there. */
export const printSearchQuery = (query: SearchQuery): string => {
  switch (query.kind) {
    case 'all':
      return '*:*';
    case 'match':
      return `${query.field === null ? '' : `${query.field}:`}${printTest(query.test)}`;
    case 'not':
      return `NOT ${printClause(query.of)}`;
    case 'and':
      return query.of.map(printClause).join(' AND ');
    case 'or':
      return query.of.map(printClause).join(' OR ');
    case 'clauses':
      return [
        ...query.required.map((each) => `+${printClause(each)}`),
        ...query.optional.map(printClause),
        ...query.excluded.map((each) => `-${printClause(each)}`),
      ].join(' ');
  }
};
