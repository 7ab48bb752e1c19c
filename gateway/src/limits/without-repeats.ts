import { Kind, type DefinitionNode, type DocumentNode, type SelectionNode, type SelectionSetNode } from 'graphql';

/** A node without repeats, and a key that is the same for nodes with the same text. */
interface Distinct<Node> {
  readonly node: Node;
  readonly key: string;
}

/**
 * Removes selections that repeat an earlier selection of the same selection set: same name, alias, arguments,
 * directives and selections, in the same spelling. Fields with the same name in the answer are merged, and a fragment
 * is spread once for a selection set, so neither the answer nor the validity of the document changes. Without repeats,
 * the time of validation and planning no longer grows with their square.
 *
 * Each character of the document is read once: a selection set is identified by a number instead of its text.
 *
 * @param source the text that the document was parsed from
 */
export const withoutRepeats = (document: DocumentNode, source: string): DocumentNode => {
  const numbers = new Map<string, number>();
  const numberOf = (keys: readonly string[]): number => {
    const text = keys.join('\n');
    const known = numbers.get(text) ?? numbers.size;
    numbers.set(text, known);
    return known;
  };

  const ofSelection = (node: SelectionNode): Distinct<SelectionNode> => {
    const { start = 0, end = 0 } = node.loc ?? {};
    if (node.kind === Kind.FRAGMENT_SPREAD || node.selectionSet === undefined) {
      return { node, key: source.slice(start, end) };
    }
    const below = ofSelections(node.selectionSet);
    const head = source.slice(start, node.selectionSet.loc?.start).trimEnd();
    const key = `${head} {${below.key}}`;
    return { node: below.node === node.selectionSet ? node : { ...node, selectionSet: below.node }, key };
  };

  const ofSelections = (set: SelectionSetNode): Distinct<SelectionSetNode> => {
    const distinct = new Map<string, SelectionNode>();
    for (const selection of set.selections) {
      const { node, key } = ofSelection(selection);
      if (!distinct.has(key)) distinct.set(key, node);
    }
    const selections = [...distinct.values()];
    const same =
      selections.length === set.selections.length && selections.every((node, n) => node === set.selections[n]);
    return { node: same ? set : { ...set, selections }, key: String(numberOf([...distinct.keys()])) };
  };

  const ofDefinition = (node: DefinitionNode): DefinitionNode => {
    if (node.kind !== Kind.OPERATION_DEFINITION && node.kind !== Kind.FRAGMENT_DEFINITION) return node;
    const selectionSet = ofSelections(node.selectionSet).node;
    return selectionSet === node.selectionSet ? node : { ...node, selectionSet };
  };

  return { ...document, definitions: document.definitions.map(ofDefinition) };
};
