import { Kind, type DocumentNode, type FieldNode, type SelectionSetNode } from 'graphql';

const isFieldAlone = (selection: SelectionSetNode['selections'][number]): selection is FieldNode =>
  selection.kind === Kind.FIELD && (selection.directives ?? []).length === 0;

const responseName = ({ alias, name }: FieldNode): string => (alias ?? name).value;

/** The fields of a selection set, if each stands for itself: no fragments, no directives, none twice. */
const fieldsOf = (selectionSet: SelectionSetNode | undefined): readonly FieldNode[] | undefined => {
  const fields = (selectionSet?.selections ?? []).filter(isFieldAlone);
  const isPlain =
    fields.length === selectionSet?.selections.length && new Set(fields.map(responseName)).size === fields.length;
  return isPlain ? fields : undefined;
};

/**
 * The `data` fields of the pages of record types that a document of one query asks for, by the name of the type;
 * undefined when anything above them is not plain.
 */
export const findPlainPages = (
  document: DocumentNode,
  isRecordType: (name: string) => boolean,
): readonly (readonly [typeName: string, data: FieldNode])[] | undefined => {
  const [operation, ...others] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION || others.length > 0) return undefined;
  const roots = fieldsOf(operation.selectionSet);
  if (roots === undefined) return undefined;
  const found: (readonly [string, FieldNode])[] = [];
  for (const root of roots) {
    if (!isRecordType(root.name.value)) continue;
    const members = fieldsOf(root.selectionSet);
    if (members === undefined) return undefined;
    for (const member of members) if (member.name.value === 'data') found.push([root.name.value, member]);
  }
  return found;
};
