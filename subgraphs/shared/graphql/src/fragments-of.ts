import { Kind, type DocumentNode, type FragmentDefinitionNode } from 'graphql';

/** The fragments of a document, by name. */
export const fragmentsOf = ({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> => {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  return fragments;
};
