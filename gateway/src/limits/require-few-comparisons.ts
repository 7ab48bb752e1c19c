import { fragmentsOf } from '@fds/graphql';
import { Kind, type DocumentNode, type FieldNode, type SelectionSetNode } from 'graphql';
import { tooComplex, type OperationLimits } from './operation-limits.js';

/**
 * Refuses a document whose validation would take long. Validation expands each operation and each fragment, and
 * compares every two fields that have the same name in the answer, so its time grows with the square of repetitions.
 * Counts one for each expanded selection, and the square of each repetition. It stops at the limit, so that counting
 * itself is bounded. Pairs of fragments are bounded by the limit of definitions.
 *
 * @throws AppError QUERY_TOO_COMPLEX
 */
export const requireFewComparisons = (
  document: DocumentNode,
  { maxComparisons, maxDepth }: Pick<OperationLimits, 'maxComparisons' | 'maxDepth'>,
): void => {
  const fragments = fragmentsOf(document);
  let comparisons = 0;
  const count = (more: number): void => {
    comparisons += more;
    if (comparisons > maxComparisons) throw tooComplex('comparisons of fields', comparisons, maxComparisons);
  };

  /**
   * Fields of one selection set by their name in the answer. A fragment counts once for a selection set, as in
   * validation.
   */
  const collect = ({ selections }: SelectionSetNode, fields: Map<string, FieldNode[]>, spread: Set<string>): void => {
    for (const selection of selections) {
      count(1);
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const known = fields.get(name);
        if (known === undefined) fields.set(name, [selection]);
        else known.push(selection);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet, fields, spread);
      } else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment !== undefined) collect(fragment.selectionSet, fields, spread);
      }
    }
  };

  const compare = (places: readonly SelectionSetNode[], depth: number): void => {
    const fields = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    for (const place of places) collect(place, fields, spread);
    for (const nodes of fields.values()) {
      if (nodes.length > 1) count(nodes.length ** 2);
      const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
      // only circular fragments are deeper than the limit; they are not valid
      if (below.length > 0 && depth < maxDepth) compare(below, depth + 1);
    }
  };

  for (const node of document.definitions) {
    if (node.kind === Kind.OPERATION_DEFINITION || node.kind === Kind.FRAGMENT_DEFINITION) {
      compare([node.selectionSet], 1);
    }
  }
};
