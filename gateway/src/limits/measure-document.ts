import { fragmentsOf } from '@fds/graphql';
import { Kind, type DocumentNode, type SelectionSetNode } from 'graphql';

/** How large a document is, fragments expanded. */
export interface DocumentSize {
  readonly depth: number;
  readonly fields: number;
  readonly aliases: number;
}

const nothing: DocumentSize = { depth: 0, fields: 0, aliases: 0 };

const beside = (a: DocumentSize, b: DocumentSize): DocumentSize => ({
  depth: Math.max(a.depth, b.depth),
  fields: a.fields + b.fields,
  aliases: a.aliases + b.aliases,
});

/**
 * Measures a parsed document, valid or not, in a time that grows with its text and not with what fragments expand to.
 * A document of several operations is as large as all together. Cycles of fragments count once: they are not valid.
 */
export const measureDocument = (document: DocumentNode): DocumentSize => {
  const fragments = fragmentsOf(document);
  const measured = new Map<string, DocumentSize>();

  const measureFragment = (name: string): DocumentSize => {
    const known = measured.get(name);
    if (known !== undefined) return known;
    measured.set(name, nothing);
    const fragment = fragments.get(name);
    const size = fragment === undefined ? nothing : measureSelections(fragment.selectionSet);
    measured.set(name, size);
    return size;
  };

  const measureSelections = ({ selections }: SelectionSetNode): DocumentSize =>
    selections.reduce((total, selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return beside(total, measureFragment(selection.name.value));
      if (selection.kind === Kind.INLINE_FRAGMENT) return beside(total, measureSelections(selection.selectionSet));
      const below = selection.selectionSet === undefined ? nothing : measureSelections(selection.selectionSet);
      return beside(total, {
        depth: below.depth + 1,
        fields: below.fields + 1,
        aliases: below.aliases + (selection.alias === undefined ? 0 : 1),
      });
    }, nothing);

  return document.definitions.reduce(
    (total, node) =>
      node.kind === Kind.OPERATION_DEFINITION ? beside(total, measureSelections(node.selectionSet)) : total,
    nothing,
  );
};
