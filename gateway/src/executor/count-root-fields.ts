import { fragmentsOf } from '@fds/graphql';
import { Kind, type DocumentNode, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';

/**
 * The top-level fields of an operation, each response name once: fields with the same name are one field. Fields in fragments and fields that a
 * directive may leave out count.
 */
export const countRootFields = (document: DocumentNode, operation: OperationDefinitionNode): number => {
  const fragments = fragmentsOf(document);
  const names = new Set<string>();
  const entered = new Set<string>();
  const look = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) names.add((selection.alias ?? selection.name).value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) look(selection.selectionSet);
      else if (!entered.has(selection.name.value)) {
        entered.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment !== undefined) look(fragment.selectionSet);
      }
    }
  };
  look(operation.selectionSet);
  return names.size;
};
