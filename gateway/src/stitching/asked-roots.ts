import { fragmentsOf } from '@fds/graphql';
import { Kind, type DocumentNode, type SelectionSetNode } from 'graphql';

/** The top-level fields of a document, over all its operations. */
export interface AskedRoots {
  /** Does the document ask for `__schema` or `__type`? */
  readonly introspects: boolean;
  /** Does it select fields other than record types, or is it a mutation? */
  readonly asksStatic: boolean;
}

const introspectionFields = new Set(['__schema', '__type']);

/** Reads the root fields of a valid document, including those in fragments. */
export const readAskedRoots = (document: DocumentNode, isRecordType: (name: string) => boolean): AskedRoots => {
  const fragments = fragmentsOf(document);
  let introspects = false;
  let asksStatic = false;
  const look = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const { value: name } = selection.name;
        if (introspectionFields.has(name)) introspects = true;
        else if (name !== '__typename' && !isRecordType(name)) asksStatic = true;
      } else {
        const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
        if (inner !== undefined) look(inner.selectionSet);
      }
    }
  };
  for (const node of document.definitions) {
    if (node.kind === Kind.OPERATION_DEFINITION) look(node.selectionSet);
  }
  return { introspects, asksStatic };
};
