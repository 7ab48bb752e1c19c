import { Kind, type FieldNode, type GraphQLResolveInfo, type SelectionSetNode } from 'graphql';

type Selected = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

const totals: ReadonlySet<string> = new Set(['totalElements', 'totalPages']);

/** The fields of these selection sets, those of fragments included. A fragment is visited once. */
const fieldsOf = (
  sets: readonly (SelectionSetNode | undefined)[],
  fragments: Selected['fragments'],
  visited = new Set<string>(),
): readonly FieldNode[] =>
  sets
    .flatMap((set) => set?.selections ?? [])
    .flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return selection;
      if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf([selection.selectionSet], fragments, visited);
      const name = selection.name.value;
      if (visited.has(name)) return [];
      visited.add(name);
      return fieldsOf([fragments[name]?.selectionSet], fragments, visited);
    });

/** Does the query select a total of a list answer `{data, page}`? A field with a directive counts as selected. */
export const requestsTotal = ({ fieldNodes, fragments }: Selected): boolean => {
  const below = (fields: readonly FieldNode[]): readonly FieldNode[] =>
    fieldsOf(
      fields.map(({ selectionSet }) => selectionSet),
      fragments,
    );
  const pages = below(fieldNodes).filter(({ name }) => name.value === 'page');
  return below(pages).some(({ name }) => totals.has(name.value));
};
