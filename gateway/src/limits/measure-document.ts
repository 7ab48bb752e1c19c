import { fragmentsOf } from '@fds/graphql';
import { Kind, type DocumentNode, type SelectionSetNode } from 'graphql';
import { tooComplex, type DocumentSize } from './operation-limits.js';
import { maxNesting } from './require-shallow.js';

interface Measured extends DocumentSize {
  /** Levels of selection sets, including those of fragments. */
  readonly nesting: number;
}

const nothing: Measured = { depth: 0, fields: 0, aliases: 0, nesting: 0 };

const beside = (a: Measured, b: Measured): Measured => ({
  depth: Math.max(a.depth, b.depth),
  fields: a.fields + b.fields,
  aliases: a.aliases + b.aliases,
  nesting: Math.max(a.nesting, b.nesting),
});

const requireNesting = (levels: number): void => {
  if (levels > maxNesting) throw tooComplex('levels of selections', levels, maxNesting);
};

/**
 * Measures a parsed document, valid or not. The time is linear in its text and does not grow with the expansion of
 * fragments. The size of a document with several operations is the sum over all of them. Circular fragments count once,
 * since they are not valid.
 *
 * @throws AppError QUERY_TOO_COMPLEX when selections nest so deeply that recursive functions would overflow the stack
 */
export const measureDocument = (document: DocumentNode): DocumentSize => {
  const fragments = fragmentsOf(document);
  const measured = new Map<string, Measured>();

  const measureFragment = (name: string, level: number): Measured => {
    const known = measured.get(name);
    if (known !== undefined) {
      requireNesting(level + known.nesting);
      return known;
    }
    measured.set(name, nothing);
    const fragment = fragments.get(name);
    const size = fragment === undefined ? nothing : measureSelections(fragment.selectionSet, level + 1);
    measured.set(name, size);
    return size;
  };

  const measureSelections = ({ selections }: SelectionSetNode, level: number): Measured => {
    requireNesting(level);
    const size = selections.reduce((total, selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return beside(total, measureFragment(selection.name.value, level));
      const { selectionSet } = selection;
      const below = selectionSet === undefined ? nothing : measureSelections(selectionSet, level + 1);
      if (selection.kind === Kind.INLINE_FRAGMENT) return beside(total, below);
      return beside(total, {
        depth: below.depth + 1,
        fields: below.fields + 1,
        aliases: below.aliases + (selection.alias === undefined ? 0 : 1),
        nesting: below.nesting,
      });
    }, nothing);
    return { ...size, nesting: size.nesting + 1 };
  };

  const size = document.definitions.reduce(
    (total, node) =>
      node.kind === Kind.OPERATION_DEFINITION ? beside(total, measureSelections(node.selectionSet, 1)) : total,
    nothing,
  );
  const unused = [...fragments.keys()].filter((name) => !measured.has(name));
  const fields = unused.reduce((total, name) => total + measureFragment(name, 0).fields, size.fields);
  return { depth: size.depth, aliases: size.aliases, fields };
};
